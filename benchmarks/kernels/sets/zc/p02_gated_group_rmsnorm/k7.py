import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _norm_rows(x_ptr, z_ptr, w_ptr, o_ptr, n_rows, H, GROUP: tl.constexpr, EPS: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    g = tl.program_id(1)
    lane = tl.arange(0, BLOCK)[None, :]
    ok = (rows < n_rows) & (lane < GROUP)
    off = rows * H + g * GROUP + lane
    x = tl.load(x_ptr + off, mask=ok, other=0.0).to(tl.float32)
    z = tl.load(z_ptr + off, mask=ok, other=0.0).to(tl.float32)
    y = x * z * tl.sigmoid(z)
    rstd = tl.rsqrt(tl.sum(y * y, axis=1) / GROUP + EPS)
    w = tl.load(w_ptr + g * GROUP + lane, mask=lane < GROUP, other=0.0)
    r = tl.load(o_ptr + off, mask=ok, other=0.0).to(tl.float32)  # holds the residual
    out = y * rstd[:, None] * w + r
    tl.store(o_ptr + off, out.to(o_ptr.dtype.element_ty), mask=ok)


class ModelNew(nn.Module):
    def __init__(self, hidden: int, n_groups: int, eps: float):
        super().__init__()
        self.hidden = hidden
        self.n_groups = n_groups
        self.eps = eps
        self.weight = nn.Parameter(1.0 + 0.1 * torch.randn(hidden))

    @torch.no_grad()
    def forward(self, x, z, residual):
        B, L, H = x.shape
        x = x.contiguous()
        z = z.contiguous()
        out = residual.contiguous().clone()
        n_rows = B * L
        rows = 4 if n_rows >= 4 else 1
        group = H // self.n_groups
        _norm_rows[(n_rows // rows, self.n_groups)](
            x, z, self.weight, out, n_rows, H, GROUP=group, EPS=self.eps, ROWS=rows, BLOCK=triton.next_power_of_2(group)
        )
        return out
