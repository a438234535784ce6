import triton
import triton.language as tl
import math
import torch
import torch.nn as nn


def alibi_slopes(n):
    p = 1
    while 2 * p <= n:
        p *= 2
    s = [2.0 ** (-8.0 * (i + 1) / p) for i in range(p)]
    s += [2.0 ** (-4.0 * (2 * i + 1) / p) for i in range(n - p)]
    return s


@triton.jit
def _attn(q_ptr, k_ptr, v_ptr, o_ptr, sl_ptr, len_ptr, H, GR, T, D, W, scale,
          qb, qh, qt, qd, kb, kh, kt, kd, vb, vh, vt, vd,
          BM: tl.constexpr, BN: tl.constexpr, BD: tl.constexpr):
    bh = tl.program_id(1)
    b = bh // H
    h = bh % H
    hk = h // GR
    i0 = tl.program_id(0) * BM
    ri = i0 + tl.arange(0, BM)
    rd = tl.arange(0, BD)
    n = tl.load(len_ptr + b).to(tl.int32)
    slope = tl.load(sl_ptr + h)
    md = rd < D
    qm = (ri < T)[:, None] & md[None, :]
    q = tl.load(q_ptr + b * qb + h * qh + ri[:, None] * qt + rd[None, :] * qd, mask=qm, other=0.0).to(tl.float32)
    m = tl.full((BM,), -1e30, dtype=tl.float32)
    l = tl.zeros((BM,), dtype=tl.float32)
    acc = tl.zeros((BM, BD), dtype=tl.float32)
    lo = tl.maximum(i0 - W + 1, 0) // BN * BN
    hi = tl.minimum(i0 + BM, T)
    for j0 in range(lo, hi, BN):
        rj = j0 + tl.arange(0, BN)
        km = (rj < T)[:, None] & md[None, :]
        k = tl.load(k_ptr + b * kb + hk * kh + rj[:, None] * kt + rd[None, :] * kd, mask=km, other=0.0).to(tl.float32)
        v = tl.load(v_ptr + b * vb + hk * vh + rj[:, None] * vt + rd[None, :] * vd, mask=km, other=0.0).to(tl.float32)
        dist = ri[:, None] - rj[None, :]
        s = tl.dot(q, tl.trans(k), allow_tf32=False) * scale - slope * dist.to(tl.float32)
        see = (dist >= 0) & (dist < W) & (rj < n)[None, :]
        s = tl.where(see, s, -1e30)
        mn = tl.maximum(m, tl.max(s, 1))
        p = tl.where(see, tl.exp(s - mn[:, None]), 0.0)
        al = tl.exp(m - mn)
        l = l * al + tl.sum(p, 1)
        acc = acc * al[:, None] + tl.dot(p, v, allow_tf32=False)
        m = mn
    o = acc / tl.where(l > 0.0, l, 1.0)[:, None]
    tl.store(o_ptr + (bh * T + ri[:, None]) * D + rd[None, :], o.to(tl.float16), mask=qm)


class ModelNew(nn.Module):
    """Triton: flash attention over the blocks inside the window."""

    def __init__(self, num_heads, num_kv_heads, window):
        super().__init__()
        self.groups = num_heads // num_kv_heads
        self.window = window
        self.register_buffer("slopes", torch.tensor(alibi_slopes(num_heads)), persistent=False)

    def forward(self, q, k, v, lengths):
        B, H, T, D = q.shape
        out = torch.empty((B, H, T, D), dtype=q.dtype, device=q.device)
        BM, BN = 16, 16
        BD = max(16, triton.next_power_of_2(D))
        strides = q.stride() + k.stride() + v.stride()
        _attn[(triton.cdiv(T, BM), B * H)](
            q, k, v, out, self.slopes, lengths, H, self.groups, T, D, self.window, 1.0 / math.sqrt(D),
            *strides, BM=BM, BN=BN, BD=BD)
        return out
