import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _norm_loop(
    x_ptr, z_ptr, r_ptr, w_ptr, o_ptr, L, H, sxb, sxl, szb, szl, srb, srl, GROUP: tl.constexpr, EPS: tl.constexpr, CHUNK: tl.constexpr
):
    pid = tl.program_id(0)
    n_groups = H // GROUP
    row = pid // n_groups
    g = pid % n_groups
    b = row // L
    t = row % L
    xb = x_ptr + b * sxb + t * sxl + g * GROUP
    zb = z_ptr + b * szb + t * szl + g * GROUP
    rb = r_ptr + b * srb + t * srl + g * GROUP
    ob = o_ptr + row * H + g * GROUP
    lane = tl.arange(0, CHUNK)
    acc = tl.zeros((CHUNK,), dtype=tl.float32)
    for start in range(0, GROUP, CHUNK):
        c = start + lane
        ok = c < GROUP
        x = tl.load(xb + c, mask=ok, other=0.0).to(tl.float32)
        z = tl.load(zb + c, mask=ok, other=0.0).to(tl.float32)
        y = x * z * tl.sigmoid(z)
        acc += y * y
    rstd = tl.rsqrt(tl.sum(acc, axis=0) / GROUP + EPS)
    for start in range(0, GROUP, CHUNK):
        c = start + lane
        ok = c < GROUP
        x = tl.load(xb + c, mask=ok, other=0.0).to(tl.float32)
        z = tl.load(zb + c, mask=ok, other=0.0).to(tl.float32)
        w = tl.load(w_ptr + g * GROUP + c, mask=ok, other=0.0)
        r = tl.load(rb + c, mask=ok, other=0.0).to(tl.float32)
        y = x * z * tl.sigmoid(z)
        tl.store(ob + c, (y * (rstd * w) + r).to(o_ptr.dtype.element_ty), mask=ok)


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
        out = torch.empty((B, L, H), dtype=x.dtype, device=x.device)
        _norm_loop[(B * L * self.n_groups,)](
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
            residual.stride(0),
            residual.stride(1),
            GROUP=H // self.n_groups,
            EPS=self.eps,
            CHUNK=32,
        )
        return out
