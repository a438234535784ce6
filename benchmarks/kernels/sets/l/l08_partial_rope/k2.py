import math

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _rope(x_ptr, p_ptr, y_ptr, H, S, D, R, log_base, BS: tl.constexpr, BH: tl.constexpr, BD: tl.constexpr):
    ps = tl.program_id(0)
    bh = tl.program_id(1)
    rs = ps * BS + tl.arange(0, BS)
    ms = rs < S
    rh = tl.arange(0, BH)
    half = R // 2
    mask = ms[:, None] & (rh < half)[None, :]
    pos = tl.load(p_ptr + (bh // H) * S + rs, mask=ms, other=0).to(tl.float32)
    ang = pos[:, None] * tl.exp(-log_base * 2.0 * rh.to(tl.float32) / R)[None, :]
    c = tl.cos(ang)
    s = tl.sin(ang)
    off = (bh * S + rs)[:, None] * D
    a = tl.load(x_ptr + off + rh[None, :], mask=mask, other=0.0)
    b = tl.load(x_ptr + off + half + rh[None, :], mask=mask, other=0.0)
    tl.store(y_ptr + off + rh[None, :], a * c - b * s, mask=mask)
    tl.store(y_ptr + off + half + rh[None, :], b * c + a * s, mask=mask)
    rd = tl.arange(0, BD)
    mr = ms[:, None] & ((rd >= R) & (rd < D))[None, :]
    tl.store(y_ptr + off + rd[None, :], tl.load(x_ptr + off + rd[None, :], mask=mr, other=0.0), mask=mr)


def _apply(x, positions, r, base):
    B, H, S, D = x.shape
    y = torch.empty((B, H, S, D), dtype=x.dtype, device=x.device)
    _rope[(triton.cdiv(S, 16), B * H)](x, positions, y, H, S, D, r, math.log(base), BS=16,
                                       BH=triton.next_power_of_2(max(r // 2, 1)), BD=triton.next_power_of_2(D))
    return y


class ModelNew(nn.Module):
    def __init__(self, rotary_dim, base):
        super().__init__()
        self.rotary_dim = rotary_dim
        self.base = base

    def forward(self, x, positions):
        return _apply(x, positions, self.rotary_dim, self.base)
