import torch

BLOCK = 256


def custom_kernel(data):
    """Single pass with look-back over the published block aggregates."""
    n = data.numel()
    nblk = (n + BLOCK - 1) // BLOCK
    aggregate = [0.0] * nblk
    out = torch.empty(n, dtype=torch.float32)
    for b in range(nblk):
        t = data[b * BLOCK:(b + 1) * BLOCK].double()
        aggregate[b] = t.sum().item()
        prefix = 0.0
        j = b - 1
        while j >= 0 and aggregate[j] != 0.0:
            prefix += aggregate[j]
            j -= 1
        d = 1
        while d < t.numel():
            s = t.clone()
            s[d:] += t[:-d]
            t = s
            d *= 2
        out[b * BLOCK:(b + 1) * BLOCK] = (t + prefix).float()
    return out
