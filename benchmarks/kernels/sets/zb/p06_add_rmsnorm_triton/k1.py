import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _kernel(x_ptr, r_ptr, w_ptr, y_ptr, o_ptr, sx, sr, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    x = tl.load(x_ptr + row * sx + cols, mask=mask, other=0.0).to(tl.float32)
    r = tl.load(r_ptr + row * sr + cols, mask=mask, other=0.0).to(tl.float32)
    s = x + r
    inv = tl.rsqrt(tl.sum(s * s, axis=0) / n + eps)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0)
    tl.store(y_ptr + row * n + cols, (s * inv * w).to(tl.float16), mask=mask)
    tl.store(o_ptr + row * n + cols, s.to(tl.float16), mask=mask)


class ModelNew(nn.Module):
    def __init__(self, hidden: int, eps: float = 1e-6):
        super().__init__()
        self.weight = nn.Parameter(1.0 + 0.1 * torch.randn(hidden))
        self.eps = eps

    @torch.no_grad()
    def forward(self, x, residual):
        shape = x.shape
        n = shape[-1]
        x2 = x.reshape(-1, n)
        r2 = residual.reshape(-1, n)
        rows = x2.shape[0]
        y = torch.empty(rows, n, dtype=x.dtype, device=x.device)
        out = torch.empty(rows, n, dtype=x.dtype, device=x.device)
        _kernel[(rows,)](x2, r2, self.weight, y, out, x2.stride(0), r2.stride(0), n, self.eps,
                         BLOCK=triton.next_power_of_2(n))
        return y.view(shape), out.view(shape)
