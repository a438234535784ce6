import torch


def actual(x):
    e = torch.exp(-x.abs())
    return torch.where(x >= 0, torch.ones_like(x), e) / (1.0 + e)


def expected(x):
    return torch.sigmoid(x)


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(20, 20, generator=g),)
