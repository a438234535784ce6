import torch


def actual(x):
    return x / torch.sqrt((x * x).sum(-1, keepdim=True))


def expected(x):
    n = torch.linalg.vector_norm(x, dim=-1, keepdim=True)
    return x / torch.where(n == 0, torch.ones_like(n), n)


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(12, 3, 10, generator=g),)
