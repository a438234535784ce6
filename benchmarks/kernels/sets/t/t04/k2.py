"""Threshold selection: find the K-th best value, keep everything above it plus the first ties, order the survivors."""
import torch


def custom_kernel(data):
    logits, scores, done, eos, block_eos, temperature = data
    B, K, V = logits.shape
    out_s = torch.empty(B, K)
    out_p = torch.empty(B, K, dtype=torch.int64)
    out_t = torch.empty(B, K, dtype=torch.int64)
    for b in range(B):
        rows = []
        for k in range(K):
            if done[b, k]:
                r = torch.full((V,), float("-inf"))
                r[eos] = scores[b, k]
            else:
                z = logits[b, k] / temperature
                r = scores[b, k] + (z - torch.logsumexp(z, 0))
                if block_eos:
                    r[eos] = float("-inf")
            rows.append(r)
        c = torch.cat(rows)
        kth = torch.kthvalue(-c, K).values.neg()
        above = (c > kth).nonzero().flatten()
        ties = (c == kth).nonzero().flatten()[: K - above.numel()]
        vals, o = torch.sort(c[above], descending=True, stable=True)
        idx = torch.cat([above[o], ties])
        out_s[b], out_p[b], out_t[b] = c[idx], idx // V, idx % V
    return out_s, out_p, out_t
