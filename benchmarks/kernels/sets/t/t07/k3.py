"""Rotary embedding as a custom autograd function: the backward pass turns the gradient back by the same angles."""
import torch
import torch.nn as nn


def _turn(x, cos, sin, inter, out):
    rd = 2 * cos.shape[-1]
    if inter:
        a, b = x[..., 0:rd:2], x[..., 1:rd:2]
        out[..., 0:rd:2] = a * cos - b * sin
        out[..., 1:rd:2] = a * sin + b * cos
    else:
        a, b = x[..., : rd // 2], x[..., rd // 2: rd]
        out[..., : rd // 2] = a * cos - b * sin
        out[..., rd // 2: rd] = a * sin + b * cos
    return out


class _Rope(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, cos, sin, inter):
        ctx.save_for_backward(cos, sin)
        ctx.inter = inter
        return _turn(x, cos, sin, inter, x.clone())

    @staticmethod
    def backward(ctx, g):
        cos, sin = ctx.saved_tensors
        return _turn(g, cos, -sin, ctx.inter, torch.zeros_like(g)), None, None, None


class ModelNew(nn.Module):
    def __init__(self, rotary_dim, base=10000.0, interleaved=False):
        super().__init__()
        self.rd, self.base, self.interleaved = rotary_dim, base, interleaved

    def forward(self, x, offsets):
        inv = self.base ** (-torch.arange(0, self.rd, 2).double() / self.rd)
        ang = (offsets[:, None] + torch.arange(x.shape[2])).double()[:, None, :, None] * inv
        return _Rope.apply(x, ang.cos().to(x.dtype), ang.sin().to(x.dtype), self.interleaved)
