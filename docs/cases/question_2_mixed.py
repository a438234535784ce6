import torch

TABLE = torch.linspace(0.0, 1.0, 1000, dtype=torch.float64)


def actual(signal):
    weighted = signal * TABLE
    count = torch.arange(1000) * 0.5
    return (weighted + count).float()


def expected(signal):
    weighted = signal * TABLE.float()
    count = torch.arange(1000) * 0.5
    return weighted + count


def inputs(seed):
    return (torch.randn(1000, generator=torch.Generator().manual_seed(seed)),)
