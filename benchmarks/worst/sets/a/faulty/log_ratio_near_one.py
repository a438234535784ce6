import torch


def actual(x):
    d = x - 1.0
    series = 1.0 + d / 2.0 + d * d / 3.0
    safe = torch.where(d.abs() < 1e-3, torch.ones_like(d), d)
    return torch.where(d.abs() < 1e-3, series, torch.log(x) / safe)


def expected(x):
    d = x - 1.0
    safe = torch.where(d == 0, torch.ones_like(d), d)
    return torch.where(d == 0, torch.ones_like(d), torch.log1p(d) / safe)


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (0.25 + 2.6 * torch.rand(36, generator=g),)
