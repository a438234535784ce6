import torch


def actual(a, b):
    """The sums of the post, one number after another."""
    total = torch.zeros(())
    for term in torch.cat([a + b, a * b]):
        total = total + term
    return total


def expected(a, b):
    return (a + b).sum() + (a * b).sum()


def inputs(seed):
    return torch.tensor([1.0, 2.0, 3.0]), torch.tensor([0.1, 0.2, 0.3])
