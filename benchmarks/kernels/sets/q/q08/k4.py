import torch
import torch.nn as nn


class _ScaleGrad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, s, factor):
        ctx.factor = factor
        return s.view_as(s)

    @staticmethod
    def backward(ctx, g):
        return g * ctx.factor, None


class ModelNew(nn.Module):
    """Straight-through estimator by autograd: the rounding residue is detached, clamp supplies the mask."""

    def __init__(self, features, group, bits):
        super().__init__()
        self.group = group
        self.qn = 2 ** (bits - 1)
        self.qp = 2 ** (bits - 1) - 1
        self.scale = nn.Parameter(torch.full((features // group,), 0.65))

    def forward(self, x):
        n = x.numel() // self.scale.numel()
        s = _ScaleGrad.apply(self.scale, (n * self.qp) ** -0.5)
        s = s.unsqueeze(-1)
        v = torch.clamp(x.unflatten(-1, (-1, self.group)) / s, -self.qn, self.qp)
        q = v + (torch.round(v) - v).detach()
        return (q * s).flatten(-2)
