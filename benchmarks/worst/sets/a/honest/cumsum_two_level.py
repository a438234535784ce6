import torch
import torch.nn.functional as F


def actual(x):
    n = x.shape[-1]
    y = F.pad(x, (0, (-n) % 8))
    y = y.reshape(x.shape[:-1] + (-1, 8))
    inner = torch.cumsum(y, -1)
    total = inner[..., -1]
    before = F.pad(torch.cumsum(total, -1)[..., :-1], (1, 0))
    out = inner + before[..., None]
    return out.reshape(x.shape[:-1] + (-1,))[..., :n]


def expected(x):
    return torch.cumsum(x, -1)


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(6, 77, generator=g),)
