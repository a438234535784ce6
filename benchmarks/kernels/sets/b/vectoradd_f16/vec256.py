import torch

BLOCK = 256


def custom_kernel(data):
    a, b = data
    n = a.numel()
    out = torch.zeros_like(a)
    grid = n // BLOCK
    for pid in range(grid):
        lo = pid * BLOCK
        hi = lo + BLOCK
        out[lo:hi] = a[lo:hi] + b[lo:hi]
    return out
