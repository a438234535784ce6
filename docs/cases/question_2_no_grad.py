import torch


def actual(x):
    with torch.no_grad():
        y = x * 2
    return (x * y).sum()


def expected(x):
    y = x * 2
    return (x * y).sum()


def inputs(seed):
    return (torch.tensor([1.0, 2.0, 3.0]),)
