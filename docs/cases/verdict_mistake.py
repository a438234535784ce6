import torch
import torch.nn.functional as F


def actual(x, weight):
    """RMS norm, with the epsilon of another model."""
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6) * weight


def expected(x, weight):
    return F.rms_norm(x, weight.shape, weight, eps=1e-5)


def inputs(seed):
    torch.manual_seed(seed)
    return torch.randn(64, 256), 0.5 * torch.rand(256)
