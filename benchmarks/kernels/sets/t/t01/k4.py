"""Paged decode attention in Triton: one program per (sequence, head), online softmax over tiles of positions."""
import torch
import triton
import triton.language as tl


@triton.jit
def _decode(q_ptr, k_ptr, v_ptr, bt_ptr, len_ptr, o_ptr, H, G, D, PAGE, MAXB, WINDOW, scale, cap,
            HAS_CAP: tl.constexpr, BN: tl.constexpr, BD: tl.constexpr):
    b = tl.program_id(0)
    h = tl.program_id(1)
    g = h // (H // G)
    n = tl.load(len_ptr + b)
    d = tl.arange(0, BD)
    dm = d < D
    q = tl.load(q_ptr + (b * H + h) * D + d, mask=dm, other=0.0)
    lo = 0
    if WINDOW > 0:
        lo = tl.maximum(n - WINDOW, 0)
    m = -float("inf")
    l = 0.0
    acc = tl.zeros([BD], tl.float32)
    for start in range(lo, n, BN):
        t = start + tl.arange(0, BN)
        tm = t < n
        pg = tl.load(bt_ptr + b * MAXB + t // PAGE, mask=tm, other=0).to(tl.int64)
        base = ((pg * PAGE + t % PAGE) * G + g) * D
        msk = tm[:, None] & dm[None, :]
        k = tl.load(k_ptr + base[:, None] + d[None, :], mask=msk, other=0.0)
        v = tl.load(v_ptr + base[:, None] + d[None, :], mask=msk, other=0.0)
        s = tl.sum(k * q[None, :], 1) * scale
        if HAS_CAP:
            e = tl.exp(-2.0 * tl.abs(s / cap))
            th = (1.0 - e) / (1.0 + e)
            s = cap * tl.where(s < 0, -th, th)
        s = tl.where(tm, s, -float("inf"))
        m_new = tl.maximum(m, tl.max(s, 0))
        a = tl.exp(m - m_new)
        p = tl.exp(s - m_new)
        l = l * a + tl.sum(p, 0)
        acc = acc * a + tl.sum(p[:, None] * v, 0)
        m = m_new
    acc = acc / tl.where(n > 0, l, 1.0)
    tl.store(o_ptr + (b * H + h) * D + d, acc, mask=dm)


def custom_kernel(data):
    q, kc, vc, table, lens, window, cap = data
    B, H, D = q.shape
    out = torch.empty_like(q)
    _decode[(B, H)](q, kc, vc, table, lens, out, H, kc.shape[2], D, kc.shape[1], table.shape[1], window,
                    D ** -0.5, float(cap), HAS_CAP=cap > 0, BN=32, BD=triton.next_power_of_2(D))
    return out
