import torch
import torch.nn.functional as F


def actual(x):
    return 0.5 * x * torch.special.erfc(x * -0.7071067811865476)


def expected(x):
    return F.gelu(x)


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(16, 20, generator=g),)
