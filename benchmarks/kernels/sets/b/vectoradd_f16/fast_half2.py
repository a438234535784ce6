import torch

MIN_NORMAL = 2.0 ** -14


def custom_kernel(data):
    """half2 style add: two lanes per step, float32 inside, fast-math flags on."""
    a, b = data
    n = a.numel()
    out = torch.empty_like(a)
    step = 2048
    for lo in range(0, n, step):
        s = a[lo:lo + step].float() + b[lo:lo + step].float()
        s = torch.where(s.abs() < MIN_NORMAL, torch.zeros_like(s), s)
        out[lo:lo + step] = s.half()
    return out
