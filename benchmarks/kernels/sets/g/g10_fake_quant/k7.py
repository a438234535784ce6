import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def row_amax(x, amax, N, NB, BLOCK: tl.constexpr):
    pid = tl.program_id(0).to(tl.int64)
    row = pid // NB
    o = (pid % NB) * BLOCK + tl.arange(0, BLOCK)
    v = tl.abs(tl.load(x + row * N + o, mask=o < N, other=0.0))
    tl.atomic_max(amax + row, tl.max(v, axis=0))


@triton.jit
def quant(x, y, amax, n, N, inv, qmax, BLOCK: tl.constexpr):
    o = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + o, mask=o < n, other=0.0)
    s = tl.maximum(tl.load(amax + o // N, mask=o < n, other=1.0), 1e-8) * inv
    t = tl.div_rn(v, s)
    i = (tl.abs(t) + 0.5).to(tl.int32)
    up = i.to(tl.float32) - tl.abs(t)
    i = tl.where((up > 0.5) | ((up == 0.5) & ((i & 1) == 1)), i - 1, i)
    q = tl.minimum(i.to(tl.float32), qmax)
    q = tl.where(t < 0, -q, q)
    tl.store(y + o, q * s, mask=o < n)


class ModelNew(nn.Module):
    def __init__(self, bits):
        super().__init__()
        self.qmax = 2 ** (bits - 1) - 1

    def forward(self, x):
        x = x.contiguous()
        R, N = x.shape
        y = torch.empty_like(x)
        amax = torch.zeros(R, device=x.device, dtype=torch.float32)
        NB = triton.cdiv(N, 512)
        row_amax[(R * NB,)](x, amax, N, NB, BLOCK=512)
        quant[(triton.cdiv(R * N, 1024),)](x, y, amax, R * N, N, 1.0 / self.qmax, float(self.qmax), BLOCK=1024)
        return y
