import torch

BLOCK = 1024


def custom_kernel(data):
    a, b = data
    n = a.numel()
    out = torch.empty_like(a)
    lane = torch.arange(BLOCK)
    zero = torch.zeros((), dtype=a.dtype)
    for pid in range((n + BLOCK - 1) // BLOCK):
        offs = pid * BLOCK + lane
        mask = offs < n
        safe = offs.clamp(max=n - 1)
        va = torch.where(mask, a[safe], zero)
        vb = torch.where(mask, b[safe], zero)
        res = va + vb
        out[offs[mask]] = res[mask]
    return out
