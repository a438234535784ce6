import math

import torch

SPLITS = 3


def _partial(q, k, v):
    """Un-normalised attention of one piece of the sequence: (acc, max, sum)."""
    s = torch.einsum("grd,ngd->grn", q, k)
    m = s.amax(dim=-1)
    p = torch.exp(s - m[..., None])
    return torch.einsum("grn,ngd->grd", p, v), m, p.sum(dim=-1)


def custom_kernel(data):
    """Flash decoding: the blocks of a sequence are dealt to SPLITS workers, then merged."""
    q, k_cache, v_cache, k_scale, v_scale, table, lens = data
    batch, heads, dim = q.shape
    block, kv = k_cache.shape[1], k_cache.shape[2]
    out = torch.zeros(batch, heads, dim, dtype=torch.float16)
    for b, n in enumerate(lens.tolist()):
        used = (n + block - 1) // block
        if used == 0:
            continue
        qb = q[b].float().view(kv, heads // kv, dim) / math.sqrt(dim)
        per = (used + SPLITS - 1) // SPLITS
        parts = []
        for w in range(SPLITS):
            lo, hi = w * per, min((w + 1) * per, used)
            if lo >= hi:
                continue
            idx = table[b, lo:hi].long()
            count = min(n, hi * block) - lo * block
            k = k_cache[idx].reshape(-1, kv, dim)[:count].float()
            v = v_cache[idx].reshape(-1, kv, dim)[:count].float()
            k = k * k_scale[idx].reshape(-1, kv)[:count].float().unsqueeze(-1)
            v = v * v_scale[idx].reshape(-1, kv)[:count].float().unsqueeze(-1)
            parts.append(_partial(qb, k, v))
        m = torch.stack([x[1] for x in parts]).amax(dim=0)
        num = sum(x[0] * torch.exp(x[1] - m)[..., None] for x in parts)
        den = sum(x[2] * torch.exp(x[1] - m) for x in parts)
        out[b] = (num / den[..., None]).reshape(heads, dim).to(torch.float16)
    return out
