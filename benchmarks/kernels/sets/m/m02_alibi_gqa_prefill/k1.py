import math
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _prefill(q_ptr, k_ptr, v_ptr, o_ptr, slope_ptr, len_ptr,
             qb, qh, qt, qd, kb, kh, kt, kd, vb, vh, vt, vd, ob, oh, ot,
             H, REP, T, D, scale,
             BM: tl.constexpr, BN: tl.constexpr, BD: tl.constexpr):
    pid_m = tl.program_id(0)
    bh = tl.program_id(1)
    b = bh // H
    h = bh % H
    n_ctx = tl.load(len_ptr + b).to(tl.int32)
    slope = tl.load(slope_ptr + h)
    rows = pid_m * BM + tl.arange(0, BM)
    dims = tl.arange(0, BD)
    q = tl.load(q_ptr + b * qb + h * qh + rows[:, None] * qt + dims[None, :] * qd,
                mask=(rows[:, None] < T) & (dims[None, :] < D), other=0.0)
    m = tl.full([BM], float("-inf"), dtype=tl.float32)
    l = tl.zeros([BM], dtype=tl.float32)
    acc = tl.zeros([BM, BD], dtype=tl.float32)
    hi = tl.minimum((pid_m + 1) * BM, n_ctx)
    for start in range(0, hi, BN):
        cols = start + tl.arange(0, BN)
        kv_mask = (cols[:, None] < T) & (dims[None, :] < D)
        k = tl.load(k_ptr + b * kb + (h // REP) * kh + cols[:, None] * kt + dims[None, :] * kd, mask=kv_mask, other=0.0)
        v = tl.load(v_ptr + b * vb + (h // REP) * vh + cols[:, None] * vt + dims[None, :] * vd, mask=kv_mask, other=0.0)
        s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
        s = s - slope * (rows[:, None] - cols[None, :]).to(tl.float32)
        s = tl.where((rows[:, None] >= cols[None, :]) & (cols[None, :] < n_ctx), s, float("-inf"))
        m_new = tl.maximum(m, tl.max(s, axis=1))
        p = tl.exp(s - m_new[:, None])
        corr = tl.exp(m - m_new)
        l = l * corr + tl.sum(p, axis=1)
        acc = acc * corr[:, None] + tl.dot(p, v, input_precision="ieee")
        m = m_new
    live = rows < n_ctx
    out = acc / tl.where(live, l, 1.0)[:, None]
    out = tl.where(live[:, None], out, 0.0)
    tl.store(o_ptr + b * ob + h * oh + rows[:, None] * ot + dims[None, :], out,
             mask=(rows[:, None] < T) & (dims[None, :] < D))


def alibi_slopes(n: int):
    def pow2(m):
        start = 2.0 ** (-8.0 / m)
        return [start ** (i + 1) for i in range(m)]

    if n & (n - 1) == 0:
        return pow2(n)
    c = 2 ** int(math.floor(math.log2(n)))
    return pow2(c) + pow2(2 * c)[0::2][: n - c]


class ModelNew(nn.Module):
    def __init__(self, num_heads: int, num_kv_heads: int):
        super().__init__()
        assert num_heads % num_kv_heads == 0
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.register_buffer("slopes", torch.tensor(alibi_slopes(num_heads), dtype=torch.float32), persistent=False)

    @torch.no_grad()
    def forward(self, q, k, v, lengths):
        B, H, T, D = q.shape
        out = torch.empty((B, H, T, D), device=q.device, dtype=q.dtype)
        BM = BN = 16
        grid = (triton.cdiv(T, BM), B * H)
        _prefill[grid](q, k, v, out, self.slopes, lengths,
                       *q.stride(), *k.stride(), *v.stride(), *out.stride()[:3],
                       H, H // self.num_kv_heads, T, D, 1.0 / math.sqrt(D),
                       BM=BM, BN=BN, BD=max(16, triton.next_power_of_2(D)))
        return out
