import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def fq(x, y, N, sr, sc, inv, qmax, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    a = tl.zeros((BLOCK,), dtype=tl.float32)
    for s in range(0, N, BLOCK):
        o = s + tl.arange(0, BLOCK).to(tl.int64)
        a = tl.maximum(a, tl.abs(tl.load(x + row * sr + o * sc, mask=o < N, other=0.0)))
    scale = tl.maximum(tl.max(a, axis=0), 1e-8) * inv
    for s in range(0, N, BLOCK):
        o = s + tl.arange(0, BLOCK).to(tl.int64)
        v = tl.load(x + row * sr + o * sc, mask=o < N, other=0.0)
        t = tl.div_rn(v, tl.zeros((BLOCK,), tl.float32) + scale)
        f = tl.floor(t)
        d = t - f
        odd = (f - 2.0 * tl.floor(f * 0.5)) == 1.0
        q = tl.where((d > 0.5) | ((d == 0.5) & odd), f + 1.0, f)
        q = tl.minimum(tl.maximum(q, -qmax), qmax)
        tl.store(y + row * N + o, q * scale, mask=o < N)


class ModelNew(nn.Module):
    def __init__(self, bits):
        super().__init__()
        self.qmax = 2 ** (bits - 1) - 1

    def forward(self, x):
        R, N = x.shape
        y = torch.empty((R, N), device=x.device, dtype=x.dtype)
        fq[(R,)](x, y, N, x.stride(0), x.stride(1), 1.0 / self.qmax, float(self.qmax), BLOCK=256)
        return y
