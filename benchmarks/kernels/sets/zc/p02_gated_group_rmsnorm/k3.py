import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _row_kernel(
    x_ptr, z_ptr, r_ptr, w_ptr, o_ptr, EPS: tl.constexpr, NG: tl.constexpr, GROUP: tl.constexpr, BG: tl.constexpr, BC: tl.constexpr
):
    row = tl.program_id(0)
    g = tl.arange(0, BG)[:, None]
    c = tl.arange(0, BC)[None, :]
    ok = (g < NG) & (c < GROUP)
    col = g * GROUP + c
    base = row * (NG * GROUP)
    x = tl.load(x_ptr + base + col, mask=ok, other=0.0).to(tl.float32)
    z = tl.load(z_ptr + base + col, mask=ok, other=0.0).to(tl.float32)
    # silu(z) through exp of a non-positive number
    e = tl.exp(-tl.abs(z))
    sig = tl.where(z >= 0, 1.0 / (1.0 + e), e / (1.0 + e))
    y = x * (z * sig)
    mean_sq = tl.sum(y * y, axis=1) * (1.0 / GROUP)
    rstd = 1.0 / tl.sqrt(mean_sq + EPS)
    w = tl.load(w_ptr + col, mask=ok, other=0.0)
    r = tl.load(r_ptr + base + col, mask=ok, other=0.0).to(tl.float32)
    out = (y * rstd[:, None]) * w + r
    tl.store(o_ptr + base + col, out.to(o_ptr.dtype.element_ty), mask=ok)


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
        xc, zc, rc = x.contiguous(), z.contiguous(), residual.contiguous()
        out = torch.empty((B, L, H), dtype=x.dtype, device=x.device)
        group = H // self.n_groups
        _row_kernel[(B * L,)](
            xc,
            zc,
            rc,
            self.weight,
            out,
            EPS=self.eps,
            NG=self.n_groups,
            GROUP=group,
            BG=triton.next_power_of_2(self.n_groups),
            BC=triton.next_power_of_2(group),
        )
        return out
