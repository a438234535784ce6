import torch


def actual(x):
    t = (x / 3.75) ** 2
    p = 0.0360768 + t * 0.0045813
    p = 0.2659732 + t * p
    p = 1.2067492 + t * p
    p = 3.0899424 + t * p
    p = 3.5156229 + t * p
    return 1.0 + t * p


def expected(x):
    return torch.special.i0(x)


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(400, generator=g),)
