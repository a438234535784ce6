import math
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _rows(x_ptr, y_ptr, P, n_in, n_out, inner, ratio, width,
          K: tl.constexpr, BI: tl.constexpr, BC: tl.constexpr):
    # x is (P, n_in, inner), y is (P, n_out, inner); filters the middle axis
    p = tl.program_id(0)
    i = tl.program_id(1) * BI + tl.arange(0, BI)
    q = tl.program_id(2) * BC + tl.arange(0, BC)
    c = (i.to(tl.float32) + 0.5) * ratio
    first = tl.floor(c - width + 0.5).to(tl.int32)
    acc = tl.zeros((BI, BC), dtype=tl.float32)
    tot = tl.zeros((BI,), dtype=tl.float32)
    for k in range(K):
        j = first + k
        w = 1.0 - tl.abs(j.to(tl.float32) + 0.5 - c) / width
        w = tl.where((w > 0) & (j >= 0) & (j < n_in), w, 0.0)
        v = tl.load(x_ptr + (p * n_in + j[:, None]) * inner + q[None, :],
                    mask=(j[:, None] >= 0) & (j[:, None] < n_in) & (q[None, :] < inner), other=0.0)
        acc += w[:, None] * v
        tot += w
    tl.store(y_ptr + (p * n_out + i[:, None]) * inner + q[None, :], acc / tot[:, None],
             mask=(i[:, None] < n_out) & (q[None, :] < inner))


def _axis(x, n_out):
    P, n_in, inner = x.shape
    y = torch.empty(P, n_out, inner, device=x.device, dtype=x.dtype)
    r = n_in / n_out
    grid = (P, triton.cdiv(n_out, 32), triton.cdiv(inner, 64))
    _rows[grid](x, y, P, n_in, n_out, inner, r, max(r, 1.0),
                K=math.ceil(2 * max(r, 1.0)) + 1, BI=32, BC=64)
    return y


def _resize(x, out_h, out_w):
    N, C, H, W = x.shape
    t = _axis(x.contiguous().reshape(N * C, H, W), out_h)
    t = _axis(t.reshape(1, -1, W).transpose(1, 2).contiguous(), out_w)
    return t.transpose(1, 2).reshape(N, C, out_h, out_w).contiguous()


class _Fn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, out_h, out_w):
        ctx.shape = x.shape
        return _resize(x, out_h, out_w)

    @staticmethod
    def backward(ctx, g):
        H, W = ctx.shape[2:]
        mh = _axis(torch.eye(H, device=g.device, dtype=g.dtype)[None], g.shape[2])[0]
        mw = _axis(torch.eye(W, device=g.device, dtype=g.dtype)[None], g.shape[3])[0]
        return mh.t() @ g @ mw, None, None


class ModelNew(nn.Module):
    """Triton filter along one axis at a time, tap count taken from the ratio."""

    def __init__(self):
        super().__init__()

    def forward(self, x, out_h, out_w):
        return _Fn.apply(x, out_h, out_w)
