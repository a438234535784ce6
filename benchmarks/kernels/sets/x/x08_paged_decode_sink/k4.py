import torch


def custom_kernel(data):
    """The sink logit serves as the fixed reference of the exponent, so no running max is needed."""
    q, kc, vc, table, lens, sinks = data
    B, H, D = q.shape
    S, HK = kc.shape[1], kc.shape[2]
    R = H // HK
    out = torch.zeros(B, H, D)
    for b in range(B):
        n = int(lens[b])
        den = torch.ones(H)
        num = torch.zeros(H, D)
        for w in range(-(-n // S)):
            pg = int(table[b, w])
            c = min(S, n - w * S)
            k = kc[pg, :c].repeat_interleave(R, dim=1)
            v = vc[pg, :c].repeat_interleave(R, dim=1)
            s = torch.einsum("hd,chd->hc", q[b], k) * D ** -0.5
            e = torch.exp(s - sinks[:, None])
            den += e.sum(1)
            num += torch.einsum("hc,chd->hd", e, v)
        out[b] = num / den[:, None]
    return out
