import torch
import torch.nn.functional as F


def actual(x, w, b):
    xd = x.double()
    d = xd - xd.mean(-1, keepdim=True)
    var = d.square().mean(-1, keepdim=True)
    return (d * torch.rsqrt(var + 1e-5) * w.double() + b.double()).float()


def expected(x, w, b):
    return F.layer_norm(x, (x.shape[-1],), w, b, 1e-5)


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(16, 20, generator=g), torch.randn(20, generator=g),
            torch.randn(20, generator=g))
