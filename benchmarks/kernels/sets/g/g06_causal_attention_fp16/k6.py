import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def scores(q, k, base, i0, j0, T, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    rm = i0 + tl.arange(0, BM)
    rn = j0 + tl.arange(0, BN)
    rd = tl.arange(0, D)
    a = tl.load(q + base + rm[:, None] * D + rd[None, :], mask=rm[:, None] < T, other=0.0)
    c = tl.load(k + base + rn[None, :] * D + rd[:, None], mask=rn[None, :] < T, other=0.0)
    s = tl.dot(a, c) * scale
    return tl.where((rn[None, :] <= rm[:, None]) & (rn[None, :] < T), s, float("-inf"))


@triton.jit
def attn3(q, k, v, o, T, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    nb = tl.cdiv(T, BM)
    pid = tl.program_id(0)
    base = (pid // nb).to(tl.int64) * T * D
    i0 = (pid % nb) * BM
    hi = tl.minimum(i0 + BM, T)
    m = tl.full((BM,), float("-inf"), tl.float32)
    for j0 in range(0, hi, BN):
        m = tl.maximum(m, tl.max(scores(q, k, base, i0, j0, T, scale, D, BM, BN), axis=1))
    l = tl.zeros((BM,), dtype=tl.float32)
    for j0 in range(0, hi, BN):
        l += tl.sum(tl.exp(scores(q, k, base, i0, j0, T, scale, D, BM, BN) - m[:, None]), axis=1)
    rd = tl.arange(0, D)
    acc = tl.zeros((BM, D), dtype=tl.float32)
    for j0 in range(0, hi, BN):
        p = tl.exp(scores(q, k, base, i0, j0, T, scale, D, BM, BN) - m[:, None]) / l[:, None]
        rn = j0 + tl.arange(0, BN)
        vv = tl.load(v + base + rn[:, None] * D + rd[None, :], mask=rn[:, None] < T, other=0.0)
        acc += tl.dot(p, vv.to(tl.float32), input_precision="ieee")
    rm = i0 + tl.arange(0, BM)
    tl.store(o + base + rm[:, None] * D + rd[None, :], acc.to(tl.float16), mask=rm[:, None] < T)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, q, k, v):
        q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
        B, H, T, D = q.shape
        o = torch.empty_like(q)
        attn3[(B * H * triton.cdiv(T, 32),)](q, k, v, o, T, D ** -0.5, D=D, BM=32, BN=64)
        return o
