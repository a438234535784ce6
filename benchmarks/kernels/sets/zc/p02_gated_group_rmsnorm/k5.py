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
    x = tl.load(x_ptr + b * sxb + t * sxl + col, mask=ok, other=0.0)
    z = tl.load(z_ptr + b * szb + t * szl + col, mask=ok, other=0.0)
    gate = (z.to(tl.float32) * tl.sigmoid(z.to(tl.float32))).to(x.dtype)
    y = x * gate
    sq = y * y
    ms = tl.sum(sq.to(tl.float32), axis=0) / GROUP
    rstd = tl.rsqrt(ms + EPS)
    w = tl.load(w_ptr + col, mask=ok, other=0.0)
    r = tl.load(r_ptr + row * H + col, mask=ok, other=0.0)
    out = y.to(tl.float32) * rstd * w + r.to(tl.float32)
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
