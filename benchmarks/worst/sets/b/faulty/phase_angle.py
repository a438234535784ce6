import torch


def actual(im, re):
    pi = 3.141592653589793
    a = torch.atan(im / re)
    a = torch.where(re < 0, torch.where(im >= 0, a + pi, a - pi), a)
    return torch.where(re == 0, torch.sign(im) * (pi / 2), a)


def expected(im, re):
    return torch.atan2(im, re)


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(16, 20, generator=g), torch.randn(16, 20, generator=g))
