import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def attn(q, k, v, o, H, T, scale, sb, sh, st, sd, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    bh = tl.program_id(0).to(tl.int64)
    off = (bh // H) * sb + (bh % H) * sh
    i0 = tl.program_id(1) * BM
    rm = i0 + tl.arange(0, BM)
    rd = tl.arange(0, D)
    qv = tl.load(q + off + rm[:, None].to(tl.int64) * st + rd[None, :] * sd, mask=rm[:, None] < T, other=0.0)
    m = tl.full((BM,), float("-inf"), tl.float32)
    l = tl.zeros((BM,), dtype=tl.float32)
    acc = tl.zeros((BM, D), dtype=tl.float32)
    for j0 in range(0, tl.minimum(i0 + BM, T), BN):
        rn = j0 + tl.arange(0, BN)
        kv = tl.load(k + off + rn[None, :].to(tl.int64) * st + rd[:, None] * sd, mask=rn[None, :] < T, other=0.0)
        s = tl.dot(qv, kv) * scale
        s = tl.where((rm[:, None] >= rn[None, :]) & (rn[None, :] < T), s, float("-inf"))
        mn = tl.maximum(m, tl.max(s, axis=1))
        p = tl.exp(s - mn[:, None])
        al = tl.exp(m - mn)
        l = l * al + tl.sum(p, axis=1)
        vv = tl.load(v + off + rn[:, None].to(tl.int64) * st + rd[None, :] * sd, mask=rn[:, None] < T, other=0.0)
        acc = acc * al[:, None] + tl.dot(p.to(tl.float16), vv)
        m = mn
    tl.store(o + (bh * T + rm[:, None]) * D + rd[None, :], (acc / l[:, None]).to(tl.float16), mask=rm[:, None] < T)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, q, k, v):
        B, H, T, D = q.shape
        o = torch.empty((B, H, T, D), device=q.device, dtype=q.dtype)
        attn[(B * H, triton.cdiv(T, 32))](q, k, v, o, H, T, D ** -0.5, *q.stride(), D=D, BM=32, BN=64)
        return o
