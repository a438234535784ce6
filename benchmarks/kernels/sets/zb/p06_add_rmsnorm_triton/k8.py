import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _kernel(x_ptr, r_ptr, w_ptr, y_ptr, o_ptr, n, eps, BLOCK: tl.constexpr):
    base = tl.program_id(0) * n
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < n
        s = tl.load(x_ptr + base + cols, mask=mask, other=0.0).to(tl.float32)
        s += tl.load(r_ptr + base + cols, mask=mask, other=0.0).to(tl.float32)
        acc += s * s
        tl.store(o_ptr + base + cols, s.to(tl.float16), mask=mask)
    inv = tl.rsqrt(tl.sum(acc, axis=0) / n + eps)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < n
        s = tl.load(x_ptr + base + cols, mask=mask, other=0.0).to(tl.float32)
        s += tl.load(r_ptr + base + cols, mask=mask, other=0.0).to(tl.float32)
        w = tl.load(w_ptr + cols, mask=mask, other=0.0)
        tl.store(y_ptr + base + cols, (s * inv * w).to(tl.float16), mask=mask)


class ModelNew(nn.Module):
    def __init__(self, hidden: int, eps: float = 1e-6):
        super().__init__()
        self.weight = nn.Parameter(1.0 + 0.1 * torch.randn(hidden))
        self.eps = eps

    @torch.no_grad()
    def forward(self, x, residual):
        shape = x.shape
        n = shape[-1]
        x2 = x.reshape(-1, n).contiguous()
        r2 = residual.reshape(-1, n).contiguous()
        y = torch.empty_like(x2)
        out = torch.empty_like(x2)
        _kernel[(x2.shape[0],)](x2, r2, self.weight, y, out, n, self.eps, BLOCK=128)
        return y.view(shape), out.view(shape)
