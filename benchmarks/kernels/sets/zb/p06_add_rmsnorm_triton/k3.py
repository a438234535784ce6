import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _kernel(x_ptr, r_ptr, w_ptr, y_ptr, o_ptr, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    offs = row * n + cols
    x = tl.load(x_ptr + offs, mask=mask, other=0.0)
    r = tl.load(r_ptr + offs, mask=mask, other=0.0)
    s = x + r
    sq = s * s
    ms = tl.sum(sq.to(tl.float32), axis=0) / n
    w = tl.load(w_ptr + cols, mask=mask, other=0.0)
    y = s.to(tl.float32) * tl.rsqrt(ms + eps) * w
    tl.store(y_ptr + offs, y.to(tl.float16), mask=mask)
    tl.store(o_ptr + offs, s, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, hidden: int, eps: float = 1e-6):
        super().__init__()
        self.weight = nn.Parameter(1.0 + 0.1 * torch.randn(hidden))
        self.eps = eps

    @torch.no_grad()
    def forward(self, x, residual):
        x = x.contiguous()
        residual = residual.contiguous()
        y, out = torch.empty_like(x), torch.empty_like(x)
        n = x.shape[-1]
        _kernel[(x.numel() // n,)](x, residual, self.weight, y, out, n, self.eps,
                                   BLOCK=triton.next_power_of_2(n))
        return y, out
