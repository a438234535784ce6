import torch


def custom_kernel(data):
    """Online soft max, page by page; the sink opens the running sum."""
    q, kc, vc, table, lens, sinks = data
    B, H, D = q.shape
    S, HK = kc.shape[1], kc.shape[2]
    R = H // HK
    out = torch.empty(B, H, D)
    for b in range(B):
        n = int(lens[b])
        qb = q[b].view(HK, R, D) * D ** -0.5
        m = sinks.view(HK, R).clone()
        l = torch.ones(HK, R)
        acc = torch.zeros(HK, R, D)
        for w in range((n + S - 1) // S):
            pg = int(table[b, w])
            c = min(S, n - w * S)
            k = kc[pg, :c].transpose(0, 1)           # [HK, c, D]
            v = vc[pg, :c].transpose(0, 1)
            s = qb @ k.transpose(1, 2)
            nm = torch.maximum(m, s.amax(-1))
            a = torch.exp(m - nm)
            p = torch.exp(s - nm.unsqueeze(-1))
            l = l * a + p.sum(-1)
            acc = acc * a.unsqueeze(-1) + p @ v
            m = nm
        out[b] = (acc / l.unsqueeze(-1)).view(H, D)
    return out
