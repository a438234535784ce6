import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def seg(x, idx, out, N, D, BN: tl.constexpr, BD: tl.constexpr):
    s = tl.program_id(0)
    d = tl.program_id(1) * BD + tl.arange(0, BD)
    acc = tl.zeros((BD,), dtype=tl.float32)
    cnt = tl.zeros((BN,), dtype=tl.int32)
    for n0 in range(0, N, BN):
        r = n0 + tl.arange(0, BN).to(tl.int64)
        hit = (tl.load(idx + r, mask=r < N, other=-1) == s)
        v = tl.load(x + r[:, None] * D + d[None, :], mask=hit[:, None] & (d[None, :] < D), other=0.0)
        acc += tl.sum(v, axis=0)
        cnt += hit.to(tl.int32)
    c = tl.maximum(tl.sum(cnt, axis=0), 1)
    tl.store(out + s.to(tl.int64) * D + d, acc / c.to(tl.float32), mask=d < D)


class ModelNew(nn.Module):
    def __init__(self, segments):
        super().__init__()
        self.segments = segments

    def forward(self, x, idx):
        x = x.contiguous()
        idx = idx.contiguous()
        N, D = x.shape
        out = torch.empty((self.segments, D), device=x.device, dtype=x.dtype)
        seg[(self.segments, triton.cdiv(D, 64))](x, idx, out, N, D, BN=128, BD=64)
        return out
