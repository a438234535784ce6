import torch


def custom_kernel(data):
    """log2(n) doubling steps with two buffers, float64."""
    n = data.numel()
    src = data.double()
    d = 1
    while d < n:
        dst = src.clone()
        dst[d:] = src[d:] + src[:-d]
        src = dst
        d *= 2
    return src.float()
