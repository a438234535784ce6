import numpy as np
import torch


def actual(x):
    """A sum, added one by one."""
    return torch.from_numpy(np.cumsum(x.numpy(), -1)[..., -1].copy())


def expected(x):
    return x.sum(-1)


def inputs(seed, size=4096):
    torch.manual_seed(seed)
    return (torch.rand(64, size),)
