import torch


def actual(x):
    return torch.clamp(x, min=0) + torch.log1p(torch.exp(-x.abs()))


def expected(x):
    return torch.logaddexp(x, torch.zeros_like(x))


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(400, generator=g),)
