import torch


def actual(x):
    t = torch.expm1(-2.0 * x.abs())
    return torch.copysign(-t / (2.0 + t), x)


def expected(x):
    return torch.tanh(x)


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(500, generator=g),)
