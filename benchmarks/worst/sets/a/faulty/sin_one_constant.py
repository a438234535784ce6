import torch


def actual(x):
    k = torch.round(x * (1.0 / 6.283185307179586))
    r = x - k * 6.283185307179586
    return torch.sin(r)


def expected(x):
    return torch.sin(x)


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(512, generator=g),)
