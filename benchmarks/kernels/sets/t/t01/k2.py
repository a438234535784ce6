"""Flash-decoding style: positions are split in chunks, every chunk yields (max, sum, acc), merged by log-sum-exp."""
import torch

CHUNK = 24


def custom_kernel(data):
    q, kc, vc, table, lens, window, cap = data
    B, H, D = q.shape
    P, page, G, _ = kc.shape
    rep = H // G
    out = torch.zeros_like(q)
    kf, vf = kc.reshape(P * page, G, D), vc.reshape(P * page, G, D)
    for b in range(B):
        n = int(lens[b])
        lo = 0 if window <= 0 else max(n - window, 0)
        parts = []
        for s0 in range(lo, n, CHUNK):
            t = torch.arange(s0, min(n, s0 + CHUNK))
            slot = table[b, t // page].long() * page + t % page
            k = kf[slot].repeat_interleave(rep, 1)
            v = vf[slot].repeat_interleave(rep, 1)
            s = (k * q[b]).sum(-1).t() / D ** 0.5            # H, c
            if cap > 0:
                s = cap * (s / cap).tanh()
            m = s.max(-1).values
            p = (s - m[:, None]).exp()
            parts.append((m, p.sum(-1), torch.einsum("hc,chd->hd", p, v)))
        if not parts:
            continue
        M = torch.stack([x[0] for x in parts])
        w = (M - M.max(0).values).exp()
        L = (w * torch.stack([x[1] for x in parts])).sum(0)
        out[b] = (w[..., None] * torch.stack([x[2] for x in parts])).sum(0) / L[:, None]
    return out
