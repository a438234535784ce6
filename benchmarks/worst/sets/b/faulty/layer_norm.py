import torch
import torch.nn.functional as F


def actual(x, w, b):
    n = x.shape[-1]
    mean = x.sum(-1, keepdim=True) / n
    var = (x * x).sum(-1, keepdim=True) / n - mean * mean
    return (x - mean) * torch.rsqrt(var.clamp_min(0.0) + 1e-5) * w + b


def expected(x, w, b):
    return F.layer_norm(x, (x.shape[-1],), w, b, 1e-5)


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(16, 20, generator=g), torch.randn(20, generator=g),
            torch.randn(20, generator=g))
