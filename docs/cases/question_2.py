import torch


def actual(signal):
    """Double every window of three samples, in place."""
    return signal.unfold(0, 3, 1).mul_(2.0)


def expected(signal):
    """Double every window of three samples, out of place."""
    return signal.unfold(0, 3, 1) * 2.0


def inputs(seed):
    return (torch.randn(1000, generator=torch.Generator().manual_seed(seed)),)
