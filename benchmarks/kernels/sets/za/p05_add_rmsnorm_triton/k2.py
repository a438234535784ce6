import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _fused(x_ptr, r_ptr, w_ptr, y_ptr, o_ptr, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    base = row * N
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for b in range(0, N // BLOCK):
        cols = b * BLOCK + tl.arange(0, BLOCK)
        s = tl.load(x_ptr + base + cols).to(tl.float32) + tl.load(r_ptr + base + cols).to(tl.float32)
        acc += s * s
    inv = 1.0 / tl.sqrt(tl.sum(acc, axis=0) / N + eps)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        m = cols < N
        s = tl.load(x_ptr + base + cols, mask=m).to(tl.float32)
        s += tl.load(r_ptr + base + cols, mask=m).to(tl.float32)
        w = tl.load(w_ptr + cols, mask=m).to(tl.float32)
        tl.store(o_ptr + base + cols, s.to(tl.float16), mask=m)
        tl.store(y_ptr + base + cols, (s * inv * w).to(tl.float16), mask=m)


class ModelNew(nn.Module):
    def __init__(self, hidden, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(hidden, dtype=torch.float16))

    def forward(self, x, residual):
        n = x.shape[-1]
        x = x.contiguous()
        residual = residual.contiguous()
        y = torch.empty_like(x)
        o = torch.empty_like(x)
        _fused[(x.numel() // n,)](x, residual, self.weight, y, o, n, self.eps, BLOCK=128)
        return y, o
