import torch


def actual(x):
    top = x.abs().amax(-1, keepdim=True)
    top = torch.where(top == 0, torch.ones_like(top), top)
    y = x / top
    return top[..., 0] * torch.sqrt((y * y).sum(-1))


def expected(x):
    return torch.linalg.vector_norm(x, dim=-1)


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(8, 5, 20, generator=g),)
