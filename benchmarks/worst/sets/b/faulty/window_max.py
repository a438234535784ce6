import torch


def actual(x):
    b, t = x.shape
    k = 5
    w = torch.as_strided(x, (b, t - k + 1, k), (t, 1, 1))
    return w.amax(-1)


def expected(x):
    return x.unfold(1, 5, 1).amax(-1)


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(16, 20, generator=g),)
