import torch


def actual(x):
    e = torch.exp(x - x.max())
    return e / e.sum(-1, keepdim=True)


def expected(x):
    return torch.softmax(x, dim=-1)


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(16, 24, generator=g),)
