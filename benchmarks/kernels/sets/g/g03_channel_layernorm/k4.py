import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def ln_tile(x, w, b, y, C, HW, eps, CP: tl.constexpr, BLOCK: tl.constexpr):
    n = tl.program_id(0).to(tl.int64)
    p = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    c = tl.arange(0, CP)
    ok = (c[:, None] < C) & (p[None, :] < HW)
    offs = n * C * HW + c[:, None].to(tl.int64) * HW + p[None, :]
    v = tl.load(x + offs, mask=ok, other=0.0)
    mean = tl.sum(v, axis=0) / C
    d = v - mean[None, :]
    var = tl.sum(d * d, axis=0) / C
    inv = 1.0 / tl.sqrt(var + eps)
    wv = tl.load(w + c, mask=c < C, other=0.0)
    bv = tl.load(b + c, mask=c < C, other=0.0)
    tl.store(y + offs, d * inv[None, :] * wv[:, None] + bv[:, None], mask=ok)


class ModelNew(nn.Module):
    def __init__(self, channels, eps):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(1.0 + 0.1 * torch.randn(channels))
        self.bias = nn.Parameter(0.1 * torch.randn(channels))

    def forward(self, x):
        x = x.contiguous()
        N, C, H, W = x.shape
        y = torch.empty_like(x)
        ln_tile[(N, triton.cdiv(H * W, 64))](x, self.weight, self.bias, y, C, H * W, self.eps,
                                             CP=triton.next_power_of_2(C), BLOCK=64)
        return y
