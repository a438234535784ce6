import torch
import torch.nn as nn


def _rot(x, cos, sin, rd):
    a, b = x[..., 0:rd:2], x[..., 1:rd:2]
    return torch.stack((a * cos - b * sin, a * sin + b * cos), -1).flatten(-2)


class _RotaryGain(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, cos, sin, gain, rd):
        ctx.rd = rd
        ctx.save_for_backward(x, cos, sin, gain)
        y = _rot(x, cos, sin, rd) * gain[:, None]
        return torch.cat((y, x[..., rd:]), -1)

    @staticmethod
    def backward(ctx, gy):
        x, cos, sin, gain = ctx.saved_tensors
        rd = ctx.rd
        gr = _rot(gy, cos, -sin, rd)
        gx = torch.cat((gr * gain[:, None], gy[..., rd:]), -1)
        ggain = (gy[..., :rd] * x[..., :rd]).sum(dim=(0, 1, 3))
        return gx, None, None, ggain, None


class ModelNew(nn.Module):
    """Custom autograd function: the backward of a rotation is the opposite rotation, nothing else is saved."""

    def __init__(self, num_heads, head_dim, rotary_dim, base, scale):
        super().__init__()
        self.rd = rotary_dim
        self.scale = scale
        self.gain = nn.Parameter(torch.ones(num_heads))
        inv = base ** (-torch.arange(0, rotary_dim, 2, dtype=torch.float32) / rotary_dim)
        self.register_buffer("inv_freq", inv, persistent=False)

    def forward(self, x, positions):
        ang = (positions.float()[..., None] * self.inv_freq / self.scale).unsqueeze(2)
        return _RotaryGain.apply(x, ang.cos(), ang.sin(), self.gain, self.rd)
