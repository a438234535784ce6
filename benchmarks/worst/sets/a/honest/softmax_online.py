import torch


def actual(x):
    top = torch.full(x.shape[:-1] + (1,), float("-inf"), dtype=x.dtype)
    den = torch.zeros_like(top)
    for b in x.split(7, dim=-1):
        new = torch.maximum(top, b.amax(-1, keepdim=True))
        den = den * torch.exp(top - new) + torch.exp(b - new).sum(-1, keepdim=True)
        top = new
    return torch.exp(x - top) / den


def expected(x):
    return torch.softmax(x, -1)


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(12, 40, generator=g),)
