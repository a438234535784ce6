import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def attn(q, k, v, o, H, T, scale, qb, qh, qt, qd, kb, kh, kt, kd, vb, vh, vt, vd,
         D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    bh = tl.program_id(0).to(tl.int64)
    b = bh // H
    h = bh % H
    i0 = tl.program_id(1) * BM
    rm = i0 + tl.arange(0, BM)
    rd = tl.arange(0, D)
    qv = tl.load(q + b * qb + h * qh + rm[:, None].to(tl.int64) * qt + rd[None, :] * qd, mask=rm[:, None] < T, other=0.0)
    l = tl.zeros((BM,), dtype=tl.float32)
    acc = tl.zeros((BM, D), dtype=tl.float32)
    for j0 in range(0, tl.minimum(i0 + BM, T), BN):
        rn = j0 + tl.arange(0, BN)
        kv = tl.load(k + b * kb + h * kh + rn[None, :].to(tl.int64) * kt + rd[:, None] * kd, mask=rn[None, :] < T, other=0.0)
        s = tl.dot(qv, kv) * scale
        p = tl.where((rm[:, None] >= rn[None, :]) & (rn[None, :] < T), tl.exp(s), 0.0)
        l += tl.sum(p, axis=1)
        vv = tl.load(v + b * vb + h * vh + rn[:, None].to(tl.int64) * vt + rd[None, :] * vd, mask=rn[:, None] < T, other=0.0)
        acc += tl.dot(p, vv.to(tl.float32), input_precision="ieee")
    tl.store(o + (bh * T + rm[:, None]) * D + rd[None, :], (acc / l[:, None]).to(tl.float16), mask=rm[:, None] < T)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, q, k, v):
        B, H, T, D = q.shape
        o = torch.empty((B, H, T, D), device=q.device, dtype=q.dtype)
        attn[(B * H, triton.cdiv(T, 32))](q, k, v, o, H, T, D ** -0.5, *q.stride(), *k.stride(), *v.stride(),
                                          D=D, BM=32, BN=32)
        return o
