import torch
import torch.nn as nn


class _Lsq(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale, group, qn, qp):
        G = scale.numel()
        xv = x.reshape(-1, G, group)
        v = xv / scale.view(1, G, 1)
        r = v.clamp(-qp, qp).round_()
        ctx.save_for_backward(v, scale)
        ctx.conf = (qn, qp, x.shape)
        return (r * scale.view(1, G, 1)).view(x.shape)

    @staticmethod
    def backward(ctx, gy):
        v, scale = ctx.saved_tensors
        qn, qp, shape = ctx.conf
        g = gy.reshape(v.shape)
        inside = (v >= -qn) & (v <= qp)
        c = v.clamp(-qn, qp)
        gx = (g * inside).view(shape)
        ds = torch.round(c) - c * inside
        n = v.shape[0] * v.shape[2]
        gs = torch.einsum("bgi,bgi->g", g, ds) * (n * qp) ** -0.5
        return gx, gs, None, None, None


class ModelNew(nn.Module):
    """Groups as a tensor dimension, integer grid clipped once in the forward pass."""

    def __init__(self, features, group, bits):
        super().__init__()
        self.group = group
        self.qn = 2 ** (bits - 1)
        self.qp = 2 ** (bits - 1) - 1
        self.scale = nn.Parameter(torch.full((features // group,), 0.65))

    def forward(self, x):
        return _Lsq.apply(x, self.scale, self.group, self.qn, self.qp)
