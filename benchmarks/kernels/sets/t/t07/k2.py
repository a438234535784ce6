"""Triton rotary embedding (one program per sequence and head), the backward pass is the inverse rotation."""
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _rope(x_ptr, c_ptr, s_ptr, o_ptr, H, S, D, HALF, sb, sh, ss, sd, SIGN,
          INTER: tl.constexpr, BS: tl.constexpr, BH: tl.constexpr, BD: tl.constexpr):
    b = tl.program_id(0)
    h = tl.program_id(1)
    i = tl.arange(0, BH)
    if INTER:
        ia = 2 * i
        ib = 2 * i + 1
    else:
        ia = i
        ib = i + HALF
    d = tl.arange(0, BD)
    xb = x_ptr + b * sb + h * sh
    ob = o_ptr + (b * H + h) * S * D
    for s0 in range(0, S, BS):
        s = s0 + tl.arange(0, BS)
        m = (s < S)[:, None] & (i < HALF)[None, :]
        t = (b * S + s)[:, None] * HALF + i[None, :]
        c = tl.load(c_ptr + t, mask=m, other=0.0)
        sn = tl.load(s_ptr + t, mask=m, other=0.0) * SIGN
        a = tl.load(xb + s[:, None] * ss + ia[None, :] * sd, mask=m, other=0.0)
        e = tl.load(xb + s[:, None] * ss + ib[None, :] * sd, mask=m, other=0.0)
        tl.store(ob + s[:, None] * D + ia[None, :], a * c - e * sn, mask=m)
        tl.store(ob + s[:, None] * D + ib[None, :], a * sn + e * c, mask=m)
        mr = (s < S)[:, None] & ((d >= 2 * HALF) & (d < D))[None, :]
        r = tl.load(xb + s[:, None] * ss + d[None, :] * sd, mask=mr, other=0.0)
        tl.store(ob + s[:, None] * D + d[None, :], r, mask=mr)


def _launch(x, cos, sin, inter, sign):
    B, H, S, D = x.shape
    o = torch.empty(B, H, S, D, dtype=x.dtype)
    half = cos.shape[-1]
    _rope[(B, H)](x, cos, sin, o, H, S, D, half, *x.stride(), sign, INTER=inter, BS=32,
                  BH=triton.next_power_of_2(half), BD=triton.next_power_of_2(D))
    return o


class _Fn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, cos, sin, inter):
        ctx.save_for_backward(cos, sin)
        ctx.inter = inter
        return _launch(x, cos, sin, inter, 1.0)

    @staticmethod
    def backward(ctx, g):
        cos, sin = ctx.saved_tensors
        return _launch(g, cos, sin, ctx.inter, -1.0), None, None, None


class ModelNew(nn.Module):
    def __init__(self, rotary_dim, base=10000.0, interleaved=False):
        super().__init__()
        self.rd, self.base, self.inter = rotary_dim, base, interleaved

    def forward(self, x, offsets):
        S = x.shape[2]
        inv = torch.exp(torch.arange(0, self.rd, 2).double() * (-torch.tensor(self.base).double().log() / self.rd))
        ang = (offsets[:, None] + torch.arange(S)).double()[..., None] * inv
        return _Fn.apply(x, ang.cos().float(), ang.sin().float(), self.inter)
