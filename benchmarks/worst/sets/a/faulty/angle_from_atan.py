import torch


def actual(y, x):
    a = torch.atan(y / x)
    return a + torch.where(x < 0, torch.sign(y) * 3.141592653589793, torch.zeros_like(x))


def expected(y, x):
    return torch.atan2(y, x)


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(16, 20, generator=g), torch.randn(16, 20, generator=g))
