import torch


def actual(x):
    """A sum in blocks of 16 that forgets what is left over."""
    blocks = x.shape[-1] // 16
    return x[..., : 16 * blocks].reshape(*x.shape[:-1], blocks, 16).sum(-1).sum(-1)


def expected(x):
    return x.sum(-1)


def inputs(seed):
    torch.manual_seed(seed)
    return (torch.randn(12, 32),)
