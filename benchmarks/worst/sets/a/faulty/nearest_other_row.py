import torch


def actual(x):
    d = ((x[:, None, :] - x[None, :, :]) ** 2).sum(-1)
    d = torch.where(d > 0, d, torch.full_like(d, float("inf")))
    return torch.sqrt(d.amin(-1))


def expected(x):
    d = ((x[:, None, :] - x[None, :, :]) ** 2).sum(-1)
    self_ = torch.eye(x.shape[0], dtype=torch.bool)
    d = d.masked_fill(self_, float("inf"))
    return torch.sqrt(d.amin(-1))


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(20, 5, generator=g),)
