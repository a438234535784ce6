import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def fq(x, y, N, sr, sc, inv, qmax, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    a = tl.zeros((BLOCK,), dtype=tl.float32)
    for s in range(0, N, BLOCK):
        o = s + tl.arange(0, BLOCK)
        a = tl.maximum(a, tl.abs(tl.load(x + row * sr + o * sc, mask=o < N, other=0.0)))
    scale = tl.maximum(tl.max(a, axis=0), 1e-8) * inv
    for s in range(0, N, BLOCK):
        o = s + tl.arange(0, BLOCK)
        v = tl.load(x + row * sr + o * sc, mask=o < N, other=0.0)
        t = tl.div_rn(v, tl.zeros((BLOCK,), tl.float32) + scale)
        t = tl.minimum(tl.maximum(t, -qmax), qmax)
        q = (t + 12582912.0) - 12582912.0
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
