import torch


def custom_kernel(data):
    a, b = data
    n = a.numel()
    step = 4096
    for lo in range(0, n, step):
        hi = min(lo + step, n)
        torch.add(a[lo:hi], b[lo:hi], out=a[lo:hi])
    return a
