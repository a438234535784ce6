import torch


def actual(a, b):
    return a.clone().add_(b)


def expected(a, b):
    return a + b


def inputs(seed):
    return torch.tensor([1.0, 2.0, 3.0]), torch.tensor([0.1, 0.2, 0.3])
