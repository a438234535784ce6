import torch
import torch.nn.functional as F


def actual(x):
    c = F.pad(torch.cumsum(x, -1), (1, 0))
    return c[..., 8:] - c[..., :-8]


def expected(x):
    return x.unfold(-1, 8, 1).sum(-1)


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(4, 200, generator=g),)
