import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _norm(x_ptr, z_ptr, r_ptr, w_ptr, o_ptr, H, GROUP: tl.constexpr, EPS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    g = tl.program_id(1)
    lane = tl.arange(0, BLOCK)
    ok = lane < GROUP
    off = row * H + g * GROUP + lane
    x = tl.load(x_ptr + off, mask=ok, other=0.0).to(tl.float32)
    z = tl.load(z_ptr + off, mask=ok, other=0.0).to(tl.float32)
    y = x * z * tl.sigmoid(z)
    rms = tl.sqrt(tl.sum(y * y, axis=0) / GROUP) + EPS
    w = tl.load(w_ptr + g * GROUP + lane, mask=ok, other=0.0)
    r = tl.load(r_ptr + off, mask=ok, other=0.0).to(tl.float32)
    out = y / rms * w + r
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
        residual = residual.contiguous()
        out = torch.empty_like(x)
        group = H // self.n_groups
        _norm[(B * L, self.n_groups)](x, z, residual, self.weight, out, H, GROUP=group, EPS=self.eps, BLOCK=triton.next_power_of_2(group))
        return out
