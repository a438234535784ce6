import torch


def actual(x):
    return x * torch.rsqrt((x * x).sum(-1, keepdim=True) + 1e-6)


def expected(x):
    n = torch.linalg.vector_norm(x.double(), dim=-1, keepdim=True)
    return (x.double() / n.clamp_min(1e-12)).float()


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(16, 20, generator=g),)
