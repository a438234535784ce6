import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def fq(x, y, N, inv, qmax, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    o = tl.arange(0, BLOCK)
    v = tl.load(x + row * N + o, mask=o < N, other=0.0)
    scale = tl.maximum(tl.max(v, axis=0), 1e-8) * inv
    t = tl.div_rn(v, tl.zeros((BLOCK,), tl.float32) + scale)
    t = tl.minimum(tl.maximum(t, -qmax), qmax)
    q = (t + 12582912.0) - 12582912.0
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
