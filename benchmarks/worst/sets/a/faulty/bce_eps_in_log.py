import torch
import torch.nn.functional as F


def actual(x, t):
    p = torch.sigmoid(x)
    return -(t * torch.log(p + 1e-6) + (1 - t) * torch.log(1 - p + 1e-6))


def expected(x, t):
    return F.binary_cross_entropy_with_logits(x, t, reduction="none")


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(16, 10, generator=g), torch.rand(16, 10, generator=g))
