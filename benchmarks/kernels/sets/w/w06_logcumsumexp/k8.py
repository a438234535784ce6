import math
import torch
import torch.nn as nn
import torch.nn.functional as F
import triton
import triton.language as tl

@triton.jit
def _lcse_f64(x_ptr, y_ptr, R, N, sr, sn, BR: tl.constexpr, BC: tl.constexpr):
    """Tiles of BR rows and BC columns; a running value per row, all in float64, any strides."""
    r = tl.program_id(0) * BR + tl.arange(0, BR)
    c = tl.arange(0, BC)
    rok = r < R
    NEG: tl.constexpr = float("-inf")
    run = tl.full((BR,), NEG, dtype=tl.float64)
    for c0 in range(0, N, BC):
        ok = rok[:, None] & (c0 + c < N)[None, :]
        v = tl.load(x_ptr + r[:, None] * sr + (c0 + c)[None, :] * sn, mask=ok, other=NEG).to(tl.float64)
        for j in range(0, BC):
            if c0 + j < N:
                a = tl.max(tl.where((c == j)[None, :], v, NEG), axis=1)
                hi = tl.maximum(run, a)
                base = tl.where(hi == NEG, 0.0, hi)
                run = hi + tl.log(tl.exp(run - base) + tl.exp(a - base))
                tl.store(y_ptr + r * N + c0 + j, run.to(tl.float32), mask=rok)


class _LCSE(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x2 = x.reshape(-1, x.shape[-1])
        R, N = x2.shape
        y = torch.empty(R, N, dtype=x.dtype, device=x.device)
        _lcse_f64[(triton.cdiv(R, 8),)](x2, y, R, N, x2.stride(0), x2.stride(1), BR=8, BC=16)
        y = y.view(x.shape)
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        xd, yd = x.double(), y.double()
        n = x.shape[-1]
        out = torch.zeros_like(xd)
        for i in range(n):
            out[..., :i + 1] += torch.exp(xd[..., :i + 1] - yd[..., i:i + 1]) * g[..., i:i + 1]
        return out.to(x.dtype)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return _LCSE.apply(x)
