import torch


def actual(x, y):
    n = torch.sqrt(x * x + y * y)
    n = torch.where((x == 0) & (y == 0), torch.ones_like(n), n)
    return torch.stack([x / n, y / n])


def expected(x, y):
    xd, yd = x.double(), y.double()
    n = torch.sqrt(xd * xd + yd * yd)
    n = torch.where(n == 0, torch.ones_like(n), n)
    return torch.stack([xd / n, yd / n]).float()


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(16, 20, generator=g), torch.randn(16, 20, generator=g))
