import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def lower_bound(keys, N, s):
    lo = 0
    hi = N
    while lo < hi:
        mid = (lo + hi) // 2
        if tl.load(keys + mid) < s:
            lo = mid + 1
        else:
            hi = mid
    return lo


@triton.jit
def seg(x, keys, out, N, D, BN: tl.constexpr, BD: tl.constexpr):
    s = tl.program_id(0)
    a = lower_bound(keys, N, s)
    b = lower_bound(keys, N, s + 1)
    c = tl.maximum(b - a, 1).to(tl.float32)
    for d0 in range(0, D, BD):
        d = d0 + tl.arange(0, BD)
        acc = tl.zeros((BD,), dtype=tl.float32)
        for n0 in range(a, b, BN):
            j = (n0 + tl.arange(0, BN)).to(tl.int64)
            acc += tl.sum(tl.load(x + j[:, None] * D + d[None, :], mask=(j[:, None] < b) & (d[None, :] < D),
                                  other=0.0), axis=0)
        tl.store(out + s.to(tl.int64) * D + d, acc / c, mask=d < D)


class ModelNew(nn.Module):
    def __init__(self, segments):
        super().__init__()
        self.segments = segments

    def forward(self, x, idx):
        x = x.contiguous()
        idx = idx.contiguous()
        N, D = x.shape
        out = torch.empty((self.segments, D), device=x.device, dtype=x.dtype)
        seg[(self.segments,)](x, idx, out, N, D, BN=32, BD=64)
        return out
