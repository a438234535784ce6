import torch
import torch.nn.functional as F


def actual(x):
    while x.shape[-1] > 1:
        if x.shape[-1] % 2:
            x = F.pad(x, (0, 1), value=float("-inf"))
        x = torch.logaddexp(x[..., 0::2], x[..., 1::2])
    return x[..., 0]


def expected(x):
    return torch.logsumexp(x, dim=-1)


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(16, 20, generator=g),)
