import math

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _rope_strided(x_ptr, p_ptr, cs_ptr, y_ptr, H, S, D, R, sxb, sxh, sxs, sxd, spb, sps,
                  BS: tl.constexpr, BD: tl.constexpr):
    ps = tl.program_id(0)
    bh = tl.program_id(1)
    b = bh // H
    h = bh % H
    rs = ps * BS + tl.arange(0, BS)
    rd = tl.arange(0, BD)
    half = R // 2
    ms = rs < S
    mask = ms[:, None] & (rd < D)[None, :]
    rot = (rd < R)[None, :] & mask
    pair = tl.where(rd < half, rd + half, rd - half)
    f = tl.where(rd < half, rd, rd - half)
    row = x_ptr + b * sxb + h * sxh + rs[:, None] * sxs
    x = tl.load(row + rd[None, :] * sxd, mask=mask, other=0.0)
    z = tl.load(row + pair[None, :] * sxd, mask=rot, other=0.0)
    pos = tl.load(p_ptr + b * spb + rs * sps, mask=ms, other=0).to(tl.float32)
    inv = tl.load(cs_ptr + f, mask=rd < R, other=0.0)
    ang = pos[:, None] * inv[None, :]
    sign = tl.where(rd < half, -1.0, 1.0)
    y = x * tl.cos(ang) + sign[None, :] * z * tl.sin(ang)
    y = tl.where((rd < R)[None, :], y, x)
    tl.store(y_ptr + (bh * S + rs)[:, None] * D + rd[None, :], y, mask=mask)


def _apply(x, positions, r, base):
    B, H, S, D = x.shape
    inv = (base ** (-torch.arange(0, r, 2, device=x.device, dtype=torch.float64) / r)).float()
    y = torch.empty((B, H, S, D), dtype=x.dtype, device=x.device)
    _rope_strided[(triton.cdiv(S, 16), B * H)](x, positions, inv, y, H, S, D, r, *x.stride(), *positions.stride(),
                                               BS=16, BD=triton.next_power_of_2(D))
    return y


class ModelNew(nn.Module):
    def __init__(self, rotary_dim, base):
        super().__init__()
        self.rotary_dim = rotary_dim
        self.base = base

    def forward(self, x, positions):
        return _apply(x, positions, self.rotary_dim, self.base)
