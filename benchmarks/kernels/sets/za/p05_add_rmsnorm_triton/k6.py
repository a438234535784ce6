import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _partial(x_ptr, r_ptr, o_ptr, p_ptr, N, NB, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    blk = tl.program_id(1)
    cols = blk * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    r = tl.load(r_ptr + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    s = x + r
    tl.store(o_ptr + row * N + cols, s, mask=mask)
    tl.store(p_ptr + row * NB + blk, tl.sum(s * s, axis=0))


@triton.jit
def _finish(s_ptr, inv_ptr, w_ptr, y_ptr, o_ptr, total, N, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < total
    s = tl.load(s_ptr + i, mask=mask, other=0.0)
    inv = tl.load(inv_ptr + i // N, mask=mask, other=0.0)
    w = tl.load(w_ptr + i % N, mask=mask, other=0.0).to(tl.float32)
    tl.store(y_ptr + i, (s * (inv * w)).to(tl.float16), mask=mask)
    tl.store(o_ptr + i, s.to(tl.float16), mask=mask)


class ModelNew(nn.Module):
    def __init__(self, hidden, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(hidden, dtype=torch.float16))

    def forward(self, x, residual):
        n = x.shape[-1]
        x, residual = x.contiguous(), residual.contiguous()
        rows = x.numel() // n
        block = 256
        nb = triton.cdiv(n, block)
        s = torch.empty((rows, n), dtype=torch.float32, device=x.device)
        part = torch.empty((rows, nb), dtype=torch.float32, device=x.device)
        _partial[(rows, nb)](x, residual, s, part, n, nb, BLOCK=block)
        inv = torch.rsqrt(part.sum(1) / n + self.eps)
        y, o = torch.empty_like(x), torch.empty_like(x)
        _finish[(triton.cdiv(rows * n, 1024),)](s, inv, self.weight, y, o, rows * n, n, BLOCK=1024)
        return y, o
