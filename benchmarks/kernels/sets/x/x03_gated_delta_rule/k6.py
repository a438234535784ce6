import torch


def custom_kernel(data):
    """Recurrence, value columns independent: split Dv in tiles, flatten batch and head."""
    q, k, v, g, beta, h0 = data
    B, H, T, Dk = q.shape
    Dv = v.shape[-1]
    BH = B * H
    q2 = (q * Dk ** -0.5).reshape(BH, T, Dk)
    k2 = k.reshape(BH, T, Dk)
    v2 = v.reshape(BH, T, Dv)
    dec = torch.exp(g).reshape(BH, T, 1, 1)
    b2 = beta.reshape(BH, T, 1)
    o = torch.empty(BH, T, Dv)
    fin = torch.empty(BH, Dk, Dv)
    TILE = 24
    for c in range(0, Dv, TILE):
        e = min(c + TILE, Dv)
        S = h0.reshape(BH, Dk, Dv)[:, :, c:e].clone()
        for t in range(T):
            S = S * dec[:, t]
            kt = k2[:, t]
            u = b2[:, t] * (v2[:, t, c:e] - (S * kt.unsqueeze(-1)).sum(1))
            S = torch.addcmul(S, kt.unsqueeze(-1), u.unsqueeze(1))
            o[:, t, c:e] = (S * q2[:, t].unsqueeze(-1)).sum(1)
        fin[:, :, c:e] = S
    return o.view(B, H, T, Dv), fin.view(B, H, Dk, Dv)
