import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _rope(x_ptr, cos_ptr, sin_ptr, gain_ptr, out_ptr, H, D, half,
          BR: tl.constexpr, BP: tl.constexpr):
    r = tl.program_id(0) * BR + tl.arange(0, BR)
    i = tl.arange(0, BP)
    m = (i < half)[None, :] & (r >= 0)[:, None]
    tok = r // H
    c = tl.load(cos_ptr + tok[:, None] * half + i[None, :], mask=m, other=0.0)
    s = tl.load(sin_ptr + tok[:, None] * half + i[None, :], mask=m, other=0.0)
    g = tl.load(gain_ptr + r % H)[:, None]
    off = r[:, None] * D + 2 * i[None, :]
    a = tl.load(x_ptr + off, mask=m, other=0.0)
    b = tl.load(x_ptr + off + 1, mask=m, other=0.0)
    tl.store(out_ptr + off, (a * c - b * s) * g, mask=m)
    tl.store(out_ptr + off + 1, (a * s + b * c) * g, mask=m)


def _rotate(x, cos, sin, gain):
    x = x.contiguous()
    B, S, H, D = x.shape
    half = cos.shape[-1]
    out = x.clone()
    BR = 16
    rows = B * S * H
    grid = (max(rows // BR, 1) if rows >= BR else 1,)
    if rows < BR:
        BR = 1
        grid = (rows,)
    _rope[grid](x, cos.contiguous(), sin.contiguous(), gain.contiguous(), out, H, D, half,
                BR=BR, BP=triton.next_power_of_2(half))
    return out


class _Fn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, cos, sin, gain):
        ctx.save_for_backward(x, cos, sin, gain)
        return _rotate(x, cos, sin, gain.detach())

    @staticmethod
    def backward(ctx, gy):
        x, cos, sin, gain = ctx.saved_tensors
        rd = 2 * cos.shape[-1]
        gx = _rotate(gy, cos, -sin, gain.detach())
        rot = _rotate(x, cos, sin, torch.ones_like(gain))
        return gx, None, None, (gy * rot)[..., :rd].sum((0, 1, 3))


class ModelNew(nn.Module):
    """Triton rotary; 16 rows of (token, head) per program, tables computed once per call."""

    def __init__(self, num_heads, head_dim, rotary_dim, base, scale):
        super().__init__()
        self.scale = scale
        self.gain = nn.Parameter(torch.ones(num_heads))
        inv = base ** (-torch.arange(0, rotary_dim, 2, dtype=torch.float32) / rotary_dim)
        self.register_buffer("inv_freq", inv, persistent=False)

    def forward(self, x, positions):
        ang = positions.float()[..., None] * self.inv_freq / self.scale
        return _Fn.apply(x, ang.cos(), ang.sin(), self.gain)
