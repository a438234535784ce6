import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _mx(x_ptr, y_ptr, k_ptr, e_ptr, N, n_blocks, BB: tl.constexpr):
    b = tl.program_id(0) * BB + tl.arange(0, BB)
    off = b[:, None] * 32 + tl.arange(0, 32)[None, :]
    m = off < N
    x = tl.load(x_ptr + off, mask=m, other=0.0).to(tl.float32)
    mag = tl.abs(x)
    amax = tl.max(mag, axis=1)
    e = ((amax.to(tl.int32, bitcast=True) >> 23) & 255) - 129
    e = tl.where(amax == 0.0, -127, e)
    es = tl.where(amax == 0.0, 0, e)
    a = mag * ((127 - es) << 23).to(tl.float32, bitcast=True)[:, None]
    q = tl.where(a > 0.25, 0.5, 0.0)
    q = tl.where(a >= 0.75, 1.0, q)
    q = tl.where(a > 1.25, 1.5, q)
    q = tl.where(a >= 1.75, 2.0, q)
    q = tl.where(a > 2.5, 3.0, q)
    q = tl.where(a >= 3.5, 4.0, q)
    q = tl.where(a > 5.0, 6.0, q)
    y = tl.where(x < 0, -q, q) * ((127 + es) << 23).to(tl.float32, bitcast=True)[:, None]
    tl.store(y_ptr + off, y.to(y_ptr.dtype.element_ty), mask=m)
    tl.store(k_ptr + off, (a <= 6.0).to(tl.int8), mask=m)
    tl.store(e_ptr + b, e, mask=b < n_blocks)


class _Q(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        xc = x.contiguous()
        N = xc.numel()
        per_row = triton.cdiv(xc.shape[-1], 32)
        rows = N // xc.shape[-1]
        y = torch.empty_like(xc)
        keep = torch.empty(xc.shape, dtype=torch.int8, device=x.device)
        e = torch.empty(rows * per_row, dtype=torch.int32, device=x.device)
        BB = 64
        _mx[(triton.cdiv(rows * per_row, BB),)](xc, y, keep, e, N, rows * per_row, BB=BB)
        ctx.save_for_backward(keep)
        return y, e.reshape(*xc.shape[:-1], per_row)

    @staticmethod
    def backward(ctx, gy, _):
        keep, = ctx.saved_tensors
        return gy * keep.to(gy.dtype)


class ModelNew(nn.Module):
    """Triton over the flat buffer: 32 consecutive elements make a block."""

    def __init__(self):
        super().__init__()

    def forward(self, x):
        return _Q.apply(x)
