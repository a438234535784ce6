import torch
import torch.nn.functional as F


def actual(x):
    block = 8
    n = x.shape[-1]
    pad = (-n) % block
    xp = F.pad(x, (0, pad))
    parts = xp.reshape(x.shape[0], -1, block).amax(-1)
    return parts.amax(-1)


def expected(x):
    return x.amax(-1)


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(16, 20, generator=g),)
