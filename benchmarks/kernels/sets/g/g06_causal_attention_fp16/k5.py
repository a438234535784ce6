import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def attn_row(q, k, v, o, T, scale, D: tl.constexpr, BN: tl.constexpr):
    pid = tl.program_id(0).to(tl.int64)
    bh = pid // T
    i = pid % T
    rd = tl.arange(0, D)
    base = bh * T * D
    qv = tl.load(q + base + i * D + rd).to(tl.float32) * scale
    m = float("-inf")
    l = 0.0
    acc = tl.zeros((D,), dtype=tl.float32)
    for j0 in range(0, i + 1, BN):
        rn = j0 + tl.arange(0, BN)
        ok = rn[:, None] <= i
        kv = tl.load(k + base + rn[:, None] * D + rd[None, :], mask=ok, other=0.0).to(tl.float32)
        s = tl.sum(kv * qv[None, :], axis=1)
        s = tl.where(rn <= i, s, float("-inf"))
        mn = tl.maximum(m, tl.max(s, axis=0))
        p = tl.exp(s - mn)
        al = tl.exp(m - mn)
        vv = tl.load(v + base + rn[:, None] * D + rd[None, :], mask=ok, other=0.0).to(tl.float32)
        acc = acc * al + tl.sum(p[:, None] * vv, axis=0)
        l = l * al + tl.sum(p, axis=0)
        m = mn
    tl.store(o + base + i * D + rd, (acc / l).to(tl.float16))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, q, k, v):
        q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
        B, H, T, D = q.shape
        o = torch.empty_like(q)
        attn_row[(B * H * T,)](q, k, v, o, T, D ** -0.5, D=D, BN=64)
        return o
