import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def add_rmsnorm_fwd(x_ptr, r_ptr, w_ptr, y_ptr, s_ptr, n_cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    base = row * n_cols
    x = tl.load(x_ptr + base + cols, mask=mask, other=0.0).to(tl.float32)
    r = tl.load(r_ptr + base + cols, mask=mask, other=0.0).to(tl.float32)
    s = (x + r).to(s_ptr.dtype.element_ty)
    tl.store(s_ptr + base + cols, s, mask=mask)
    s = s.to(tl.float32)
    var = tl.sum(s * s, axis=0) / n_cols
    rstd = 1.0 / (tl.sqrt(var) + eps)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(y_ptr + base + cols, s * rstd * (1.0 + w), mask=mask)


class ModelNew(nn.Module):
    def __init__(self, hidden_size: int, eps: float = 1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(hidden_size))
        self.eps = eps

    @torch.no_grad()
    def forward(self, x, residual):
        x, residual = x.contiguous(), residual.contiguous()
        n = x.shape[-1]
        y = torch.empty_like(x)
        s = torch.empty_like(x)
        rows = x.numel() // n
        add_rmsnorm_fwd[(rows,)](x, residual, self.weight, y, s, n, self.eps,
                                 BLOCK=triton.next_power_of_2(n))
        return y, s
