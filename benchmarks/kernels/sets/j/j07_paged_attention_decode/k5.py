import torch
import triton
import triton.language as tl


@triton.jit
def paged_decode(q_ptr, k_ptr, v_ptr, bt_ptr, len_ptr, o_ptr, scale, H, HK, D, MAXB,
               BS: tl.constexpr, BT: tl.constexpr, BD: tl.constexpr):
    s = tl.program_id(0)
    h = tl.program_id(1)
    hk = h % HK
    n = tl.load(len_ptr + s)
    d = tl.arange(0, BD)
    t = tl.arange(0, BT)
    dm = d < D
    q = tl.load(q_ptr + (s * H + h) * D + d, mask=dm, other=0.0).to(tl.float32) * scale
    m = -float("inf")
    l = 0.0
    acc = tl.zeros([BD], dtype=tl.float32)
    for b in range(0, tl.cdiv(n, BS)):
        page = tl.load(bt_ptr + s * MAXB + b).to(tl.int64)
        ok = (t < BS) & (b * BS + t < n)
        off = ((page * BS + t[:, None]) * HK + hk) * D + d[None, :]
        k = tl.load(k_ptr + off, mask=ok[:, None] & dm[None, :], other=0.0).to(tl.float32)
        v = tl.load(v_ptr + off, mask=ok[:, None] & dm[None, :], other=0.0).to(tl.float32)
        sc = tl.where(ok, tl.sum(k * q[None, :], axis=1), -float("inf"))
        m_new = tl.maximum(m, tl.max(sc, axis=0))
        r = tl.exp(m - m_new)
        p = tl.exp(sc - m_new)
        l = l * r + tl.sum(p, axis=0)
        acc = acc * r + tl.sum(p[:, None] * v, axis=0)
        m = m_new
    tl.store(o_ptr + (s * H + h) * D + d, acc / l, mask=dm)


def custom_kernel(data):
    q, k_cache, v_cache, block_tables, context_lens = (t.contiguous() for t in data[:5])
    scale = data[5]
    S, H, D = q.shape
    _, BS, HK, _ = k_cache.shape
    out = torch.empty_like(q)
    paged_decode[(S, H)](q, k_cache, v_cache, block_tables, context_lens, out, scale, H, HK, D,
                       block_tables.shape[1], BS=BS, BT=triton.next_power_of_2(BS),
                       BD=triton.next_power_of_2(D))
    return out
