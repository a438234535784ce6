import torch


def actual(x):
    return torch.clamp(x, 0.0, 6.0)


def expected(x):
    return torch.relu(x)


def inputs(seed):
    torch.manual_seed(seed)
    return (torch.randn(64, 64),)
