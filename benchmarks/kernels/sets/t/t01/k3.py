"""Paged decode attention: per-sequence gather with grouped heads kept as a batch dimension (no K/V replication)."""
import torch


def custom_kernel(data):
    q, kc, vc, table, lens, window, cap = data
    B, H, D = q.shape
    page, G = kc.shape[1], kc.shape[2]
    rep = H // G
    out = q.new_zeros(B, H, D)
    for b, n in enumerate(lens.tolist()):
        lo = max(0, n - window) if window > 0 else 0
        if n <= lo:
            continue
        t = torch.arange(lo, n)
        pg = table[b].long()[t // page]
        k = kc[pg, t % page].permute(1, 2, 0)          # G, D, n
        v = vc[pg, t % page].permute(1, 0, 2)          # G, n, D
        s = torch.bmm(q[b].view(G, rep, D) * (1.0 / D ** 0.5), k)
        if cap > 0:
            s = torch.tanh(s / cap) * cap
        s = s - s.amax(-1, keepdim=True)
        p = s.exp()
        out[b] = (torch.bmm(p, v) / p.sum(-1, keepdim=True)).view(H, D)
    return out
