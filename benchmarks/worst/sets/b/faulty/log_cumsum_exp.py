import torch


def actual(x):
    m = x.amax(-1, keepdim=True)
    return torch.log(torch.cumsum(torch.exp(x - m), dim=-1)) + m


def expected(x):
    return torch.logcumsumexp(x, dim=-1)


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(16, 20, generator=g),)
