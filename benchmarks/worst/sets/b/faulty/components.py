import torch


def _adj(x):
    a = x > 0.5
    return a | a.t() | torch.eye(x.shape[0], dtype=torch.bool)


def _sweep(a, lab):
    n = a.shape[0]
    return torch.where(a, lab[None, :], torch.full_like(lab, n)[None, :]).amin(1)


def actual(x):
    a = _adj(x)
    lab = torch.arange(x.shape[0])
    for _ in range(6):
        lab = _sweep(a, lab)
    return lab


def expected(x):
    a = _adj(x)
    lab = torch.arange(x.shape[0])
    for _ in range(x.shape[0]):
        lab = _sweep(a, lab)
    return lab


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(24, 24, generator=g),)
