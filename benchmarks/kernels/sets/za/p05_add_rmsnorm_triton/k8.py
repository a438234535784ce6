import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _loop(x_ptr, r_ptr, w_ptr, y_ptr, o_ptr, xoff_ptr, roff_ptr, N, inv_n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    xb = x_ptr + tl.load(xoff_ptr + row)
    rb = r_ptr + tl.load(roff_ptr + row)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        m = cols < N
        s = tl.load(xb + cols, mask=m, other=0.0).to(tl.float32)
        s += tl.load(rb + cols, mask=m, other=0.0).to(tl.float32)
        acc += s * s
    inv = tl.rsqrt(tl.sum(acc, axis=0) * inv_n + eps)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        m = cols < N
        s = tl.load(xb + cols, mask=m, other=0.0).to(tl.float32)
        s += tl.load(rb + cols, mask=m, other=0.0).to(tl.float32)
        w = tl.load(w_ptr + cols, mask=m, other=0.0).to(tl.float32)
        tl.store(o_ptr + row * N + cols, s.to(tl.float16), mask=m)
        tl.store(y_ptr + row * N + cols, (s * w * inv).to(tl.float16), mask=m)


def _row_offsets(t):
    off = torch.zeros(t.shape[:-1], dtype=torch.int64, device=t.device)
    for d in range(t.dim() - 1):
        shape = [1] * (t.dim() - 1)
        shape[d] = -1
        off = off + (torch.arange(t.shape[d], device=t.device) * t.stride(d)).view(shape)
    return off.reshape(-1).contiguous()


class ModelNew(nn.Module):
    def __init__(self, hidden, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(hidden, dtype=torch.float16))

    def forward(self, x, residual):
        n = x.shape[-1]
        xo, ro = _row_offsets(x), _row_offsets(residual)
        y = torch.empty(x.shape, dtype=torch.float16, device=x.device)
        o = torch.empty(x.shape, dtype=torch.float16, device=x.device)
        _loop[(xo.numel(),)](
            x, residual, self.weight, y, o, xo, ro, n, 1.0 / n, self.eps, BLOCK=256
        )
        return y, o
