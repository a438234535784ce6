import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _gated_norm(x_ptr, z_ptr, r_ptr, w_ptr, o_ptr, stride_row, GROUP: tl.constexpr, EPS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    g = tl.program_id(1)
    lane = tl.arange(0, BLOCK)
    ok = lane < GROUP
    off = row * stride_row + g * GROUP + lane
    x = tl.load(x_ptr + off, mask=ok, other=0.0).to(tl.float32)
    z = tl.load(z_ptr + off, mask=ok, other=0.0).to(tl.float32)
    y = x * (z / (1.0 + tl.exp(-z)))
    rstd = tl.rsqrt(tl.sum(y * y, axis=0) / GROUP + EPS)
    w = tl.load(w_ptr + g * GROUP + lane, mask=ok, other=0.0)
    r = tl.load(r_ptr + off, mask=ok, other=0.0).to(tl.float32)
    tl.store(o_ptr + off, (y * rstd * w + r).to(o_ptr.dtype.element_ty), mask=ok)


class ModelNew(nn.Module):
    def __init__(self, hidden: int, n_groups: int, eps: float):
        super().__init__()
        self.hidden = hidden
        self.n_groups = n_groups
        self.eps = eps
        self.weight = nn.Parameter(1.0 + 0.1 * torch.randn(hidden))

    @torch.no_grad()
    def forward(self, x, z, residual):
        B, L, H = residual.shape
        group = H // self.n_groups
        out = torch.empty_like(residual)
        _gated_norm[(B * L, self.n_groups)](
            x, z, residual, self.weight, out, H, GROUP=group, EPS=self.eps, BLOCK=triton.next_power_of_2(group)
        )
        return out
