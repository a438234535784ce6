import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def ln_loop(x, w, b, y, C, W, HW, sn, sc, sh, sw, eps, BLOCK: tl.constexpr):
    n = tl.program_id(0).to(tl.int64)
    p = (tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)).to(tl.int64)
    ok = p < HW
    base = x + n * sn + (p // W) * sh + (p % W) * sw
    mean = tl.zeros((BLOCK,), dtype=tl.float32)
    for c in range(C):
        mean += tl.load(base, mask=ok, other=0.0)
        base += sc
    mean = mean / C
    base = x + n * sn + (p // W) * sh + (p % W) * sw
    var = tl.zeros((BLOCK,), dtype=tl.float32)
    for c in range(C):
        d = tl.load(base, mask=ok, other=0.0) - mean
        var += d * d
        base += sc
    inv = tl.rsqrt(var / C + eps)
    base = x + n * sn + (p // W) * sh + (p % W) * sw
    out = y + n * C * HW + p
    for c in range(C):
        d = tl.load(base, mask=ok, other=0.0) - mean
        tl.store(out, d * inv * tl.load(w + c) + tl.load(b + c), mask=ok)
        base += sc
        out += HW


class ModelNew(nn.Module):
    def __init__(self, channels, eps):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(1.0 + 0.1 * torch.randn(channels))
        self.bias = nn.Parameter(0.1 * torch.randn(channels))

    def forward(self, x):
        N, C, H, W = x.shape
        y = torch.empty((N, C, H, W), device=x.device, dtype=x.dtype)
        ln_loop[(N, triton.cdiv(H * W, 256))](x, self.weight, self.bias, y, C, W, H * W, *x.stride(), self.eps,
                                              BLOCK=256)
        return y
