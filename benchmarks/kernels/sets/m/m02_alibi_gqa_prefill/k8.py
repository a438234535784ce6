import math
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _kernel(q_ptr, k_ptr, v_ptr, o_ptr, slope_ptr, len_ptr, H, HKV, T, D, scale,
            BM: tl.constexpr, BN: tl.constexpr, BD: tl.constexpr):
    bh = tl.program_id(1)
    b = bh // H
    h = bh % H
    kvh = h // (H // HKV)
    q_base = q_ptr + bh * T * D
    k_base = k_ptr + (b * HKV + kvh) * T * D
    v_base = v_ptr + (b * HKV + kvh) * T * D
    n = tl.load(len_ptr + b).to(tl.int32)
    slope = tl.load(slope_ptr + h)
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, BD)
    q = tl.load(q_base + rows[:, None] * D + d[None, :], mask=(rows[:, None] < T) & (d[None, :] < D), other=0.0)
    m = tl.full([BM], float("-inf"), dtype=tl.float32)
    l = tl.zeros([BM], dtype=tl.float32)
    acc = tl.zeros([BM, BD], dtype=tl.float32)
    for start in range(0, tl.minimum(n, (tl.program_id(0) + 1) * BM), BN):
        cols = start + tl.arange(0, BN)
        ok = (cols[:, None] < T) & (d[None, :] < D)
        k = tl.load(k_base + cols[:, None] * D + d[None, :], mask=ok, other=0.0)
        v = tl.load(v_base + cols[:, None] * D + d[None, :], mask=ok, other=0.0)
        s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
        s += slope * (cols[None, :] - rows[:, None]).to(tl.float32)
        s = tl.where((cols[None, :] <= rows[:, None]) & (cols[None, :] < n), s, float("-inf"))
        m_i = tl.maximum(m, tl.max(s, axis=1))
        alpha = tl.exp(m - m_i)
        p = tl.exp(s - m_i[:, None])
        acc = acc * alpha[:, None] + tl.dot(p, v, input_precision="ieee")
        l = l * alpha + tl.sum(p, axis=1)
        m = m_i
    l = tl.where(rows < n, l, 1.0)
    acc = tl.where((rows < n)[:, None], acc / l[:, None], 0.0)
    tl.store(o_ptr + bh * T * D + rows[:, None] * D + d[None, :], acc, mask=(rows[:, None] < T) & (d[None, :] < D))


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
        grid = (triton.cdiv(T, 16), B * H)
        _kernel[grid](q, k, v, out, self.slopes, lengths, H, self.num_kv_heads, T, D, D ** -0.5,
                      BM=16, BN=16, BD=max(16, triton.next_power_of_2(D)))
        return out
