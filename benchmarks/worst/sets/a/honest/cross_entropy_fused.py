import torch
import torch.nn.functional as F


def actual(x, t):
    d = x - x.amax(-1, keepdim=True)
    return torch.log(torch.exp(d).sum(-1)) - d.gather(-1, t[:, None])[:, 0]


def expected(x, t):
    return F.cross_entropy(x, t, reduction="none")


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(24, 15, generator=g), torch.randint(0, 15, (24,), generator=g))
