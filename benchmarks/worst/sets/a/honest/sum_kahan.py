import torch


def actual(x):
    s = torch.zeros(x.shape[:-1], dtype=x.dtype)
    c = torch.zeros_like(s)
    for i in range(x.shape[-1]):
        y = x[..., i] - c
        t = s + y
        c = (t - s) - y
        s = t
    return s


def expected(x):
    return x.sum(-1)


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(20, 60, generator=g),)
