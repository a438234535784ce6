import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def dw_conv_tile(x_ptr, w_ptr, b_ptr, y_ptr, D, L, sxb, sxd, sxl,
                 W: tl.constexpr, BD: tl.constexpr, BL: tl.constexpr):
    b = tl.program_id(2)
    d = tl.program_id(1) * BD + tl.arange(0, BD)
    t = tl.program_id(0) * BL + tl.arange(0, BL)
    dm = d < D
    m = dm[:, None] & (t[None, :] < L)
    base = x_ptr + b * sxb + d[:, None] * sxd
    acc = tl.zeros((BD, BL), dtype=tl.float32)
    for j in tl.static_range(W):
        w = tl.load(w_ptr + d * W + j, mask=dm, other=0.0).to(tl.float32)
        v = tl.load(base + (t[None, :] + j) * sxl, mask=m, other=0.0).to(tl.float32)
        acc += w[:, None] * v
    acc += tl.load(b_ptr + d, mask=dm, other=0.0).to(tl.float32)[:, None]
    acc = acc / (1.0 + tl.exp(-acc))
    tl.store(y_ptr + (b * D + d[:, None]) * L + t[None, :], acc, mask=m)


class ModelNew(nn.Module):
    def __init__(self, dim: int, width: int = 4):
        super().__init__()
        self.width = width
        self.weight = nn.Parameter(torch.randn(dim, width) * 0.5)
        self.bias = nn.Parameter(torch.zeros(dim))

    @torch.no_grad()
    def forward(self, x, state):
        B, D, L = x.shape
        full = torch.cat([state, x], -1)
        y = torch.empty((B, D, L), dtype=x.dtype, device=x.device)
        grid = (triton.cdiv(L, 32), triton.cdiv(D, 16), B)
        dw_conv_tile[grid](full, self.weight, self.bias, y, D, L, *full.stride(), W=self.width, BD=16, BL=32)
        return y, full[..., L:].clone()
