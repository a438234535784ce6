import torch


def actual(x):
    return (x * x).mean(-1) - x.mean(-1) ** 2


def expected(x):
    return x.var(-1, correction=0)


def inputs(seed):
    generator = torch.Generator().manual_seed(seed)
    return (torch.randn(8, 256, generator=generator),)
