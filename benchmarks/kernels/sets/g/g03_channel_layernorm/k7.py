import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def ln_welford(x, w, b, y, C, HW, total, eps, BLOCK: tl.constexpr):
    g = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    ok = g < total
    n = g // HW
    base = n * C * HW + (g - n * HW)
    mean = tl.zeros((BLOCK,), dtype=tl.float32)
    m2 = tl.zeros((BLOCK,), dtype=tl.float32)
    cur = base
    for c in range(C):
        v = tl.load(x + cur, mask=ok, other=0.0)
        d = v - mean
        mean += d / (c + 1)
        m2 += d * (v - mean)
        cur += HW
    inv = 1.0 / tl.sqrt(m2 / C + eps)
    cur = base
    for c in range(C):
        v = tl.load(x + cur, mask=ok, other=0.0)
        tl.store(y + cur, (v - mean) * inv * tl.load(w + c) + tl.load(b + c), mask=ok)
        cur += HW


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
        total = N * H * W
        ln_welford[(triton.cdiv(total, 512),)](x, self.weight, self.bias, y, C, H * W, total, self.eps, BLOCK=512)
        return y
