import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def fq(x, y, N, inv, qmax, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    o = tl.arange(0, BLOCK)
    v = tl.load(x + row * N + o, mask=o < N, other=0.0)
    scale = tl.max(tl.abs(v), axis=0) * inv
    t = tl.div_rn(v, tl.zeros((BLOCK,), tl.float32) + scale)
    f = tl.floor(t)
    d = t - f
    odd = (f - 2.0 * tl.floor(f * 0.5)) == 1.0
    q = tl.where((d > 0.5) | ((d == 0.5) & odd), f + 1.0, f)
    q = tl.where(q > qmax, qmax, q)
    q = tl.where(q < -qmax, -qmax, q)
    tl.store(y + row * N + o, q * scale, mask=o < N)


class ModelNew(nn.Module):
    def __init__(self, bits):
        super().__init__()
        self.qmax = 2 ** (bits - 1) - 1

    def forward(self, x):
        x = x.contiguous()
        R, N = x.shape
        y = torch.empty_like(x)
        fq[(R,)](x, y, N, 1.0 / self.qmax, float(self.qmax), BLOCK=triton.next_power_of_2(N))
        return y
