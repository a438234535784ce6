import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _kernel(x_ptr, r_ptr, w_ptr, y_ptr, o_ptr, rows, n, eps, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    ri = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    cols = tl.arange(0, BLOCK)
    offs = ri[:, None] * n + cols[None, :]
    mask = (ri[:, None] < rows) & (cols[None, :] < n)
    x = tl.load(x_ptr + offs, mask=mask, other=0.0).to(tl.float32)
    r = tl.load(r_ptr + offs, mask=mask, other=0.0).to(tl.float32)
    s = x + r
    inv = 1.0 / tl.sqrt(tl.sum(s * s, axis=1) / n + eps)
    w = tl.load(w_ptr + cols, mask=cols < n, other=0.0)
    y = s * inv[:, None] * w[None, :]
    tl.store(y_ptr + offs, y.to(tl.float16), mask=mask)
    tl.store(o_ptr + offs, s.to(tl.float16), mask=mask)


class ModelNew(nn.Module):
    def __init__(self, hidden: int, eps: float = 1e-6):
        super().__init__()
        self.weight = nn.Parameter(1.0 + 0.1 * torch.randn(hidden))
        self.eps = eps

    @torch.no_grad()
    def forward(self, x, residual):
        xc, rc = x.contiguous(), residual.contiguous()
        n = xc.shape[-1]
        rows = xc.numel() // n
        y, out = torch.empty_like(xc), torch.empty_like(xc)
        ROWS = 4
        _kernel[(triton.cdiv(rows, ROWS),)](xc, rc, self.weight, y, out, rows, n, self.eps, ROWS=ROWS,
                                            BLOCK=triton.next_power_of_2(n))
        return y, out
