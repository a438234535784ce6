import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _norm(x_ptr, z_ptr, r_ptr, w_ptr, o_ptr, L, H, sxb, sxl, szb, szl, GROUP: tl.constexpr, EPS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    g = tl.program_id(1)
    b = row // L
    t = row % L
    lane = tl.arange(0, BLOCK)
    ok = lane < GROUP
    col = g * GROUP + lane
    x = tl.load(x_ptr + b * sxb + t * sxl + col, mask=ok, other=0.0).to(tl.float32)
    z = tl.load(z_ptr + b * szb + t * szl + col, mask=ok, other=0.0).to(tl.float32)
    y = x * z * tl.sigmoid(z)
    ms = tl.sum(y * y, axis=0) / GROUP
    rstd = 1.0 / tl.sqrt(ms + EPS)
    w = tl.load(w_ptr + col, mask=ok, other=0.0)
    r = tl.load(r_ptr + row * H + col, mask=ok, other=0.0).to(tl.float32)
    out = y * rstd * w + r
    tl.store(o_ptr + row * H + col, out.to(o_ptr.dtype.element_ty), mask=ok)


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
        group = H // self.n_groups
        out = torch.empty((B, L, H), dtype=x.dtype, device=x.device)
        _norm[(B * L, self.n_groups)](
            x,
            z,
            residual,
            self.weight,
            out,
            L,
            H,
            x.stride(0),
            x.stride(1),
            z.stride(0),
            z.stride(1),
            GROUP=group,
            EPS=self.eps,
            BLOCK=triton.next_power_of_2(group),
        )
        return out
