import torch

F16_MAX = 65504.0


def custom_kernel(data):
    a, b = data
    n = a.numel()
    out = torch.empty_like(a)
    step = 4096
    for lo in range(0, n, step):
        hi = min(lo + step, n)
        s = a[lo:hi].float() + b[lo:hi].float()
        out[lo:hi] = s.clamp(-F16_MAX, F16_MAX).half()
    return out
