import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _rope_kernel(x_ptr, pos_ptr, inv_ptr, gain_ptr, out_ptr, rows, H, D, half, scale, sign,
                 BR: tl.constexpr, BP: tl.constexpr):
    r = tl.program_id(0) * BR + tl.arange(0, BR)
    i = tl.arange(0, BP)
    rm = r < rows
    im = i < half
    m = rm[:, None] & im[None, :]
    pos = tl.load(pos_ptr + r // H, mask=rm, other=0).to(tl.float32)
    inv = tl.load(inv_ptr + i, mask=im, other=0.0)
    g = tl.load(gain_ptr + r % H, mask=rm, other=0.0)
    ang = pos[:, None] * inv[None, :] / scale
    c = tl.cos(ang) * g[:, None]
    s = tl.sin(ang) * g[:, None] * sign
    base = r[:, None] * D + 2 * i[None, :]
    a = tl.load(x_ptr + base, mask=m, other=0.0)
    b = tl.load(x_ptr + base + 1, mask=m, other=0.0)
    tl.store(out_ptr + base, a * c - b * s, mask=m)
    tl.store(out_ptr + base + 1, a * s + b * c, mask=m)


def _launch(x, pos, inv, gain, scale, sign):
    x = x.contiguous()
    out = x.clone()
    B, S, H, D = x.shape
    rows = B * S * H
    BR = 32
    half = inv.numel()
    _rope_kernel[(triton.cdiv(rows, BR),)](x, pos.contiguous(), inv, gain, out, rows, H, D, half,
                                           float(scale), float(sign), BR=BR,
                                           BP=triton.next_power_of_2(half))
    return out


class _Rope(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, pos, inv, gain, scale):
        ctx.save_for_backward(x, pos, inv, gain)
        ctx.scale = scale
        return _launch(x, pos, inv, gain.detach().contiguous(), scale, 1.0)

    @staticmethod
    def backward(ctx, gy):
        x, pos, inv, gain = ctx.saved_tensors
        gx = ggain = None
        if ctx.needs_input_grad[0]:
            gx = _launch(gy, pos, inv, gain.detach().contiguous(), ctx.scale, -1.0)
        if ctx.needs_input_grad[3]:
            rd = 2 * inv.numel()
            r = _launch(x, pos, inv, torch.ones_like(gain), ctx.scale, 1.0)[..., :rd]
            ggain = (gy[..., :rd] * r).sum(dim=(0, 1, 3))
        return gx, None, None, ggain, None


class ModelNew(nn.Module):
    """Triton kernel, 32 (token, head) rows per program; the backward is the inverse rotation."""

    def __init__(self, num_heads, head_dim, rotary_dim, base, scale):
        super().__init__()
        self.scale = scale
        self.gain = nn.Parameter(torch.ones(num_heads))
        inv = base ** (-torch.arange(0, rotary_dim, 2, dtype=torch.float32) / rotary_dim)
        self.register_buffer("inv_freq", inv, persistent=False)

    def forward(self, x, positions):
        return _Rope.apply(x, positions, self.inv_freq, self.gain, self.scale)
