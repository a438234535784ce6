import torch


def actual(a, b):
    return torch.fmod(a - b + 180.0, 360.0) - 180.0


def expected(a, b):
    return torch.remainder(a - b + 180.0, 360.0) - 180.0


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(16, 20, generator=g), torch.randn(16, 20, generator=g))
