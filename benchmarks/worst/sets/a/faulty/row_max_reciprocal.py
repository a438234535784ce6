import torch


def actual(x):
    top = x.abs().amax(-1, keepdim=True)
    top = torch.where(top == 0, torch.ones_like(top), top)
    return x * (1.0 / top)


def expected(x):
    top = x.abs().amax(-1, keepdim=True)
    top = torch.where(top == 0, torch.ones_like(top), top)
    return x / top


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(20, 16, generator=g),)
