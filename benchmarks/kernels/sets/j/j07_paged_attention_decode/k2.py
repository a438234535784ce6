import torch
import triton
import triton.language as tl


@triton.jit
def paged_gqa(q_ptr, k_ptr, v_ptr, bt_ptr, len_ptr, o_ptr, scale_log2, HK, G, D, BS, MAXB,
              BG: tl.constexpr, BN: tl.constexpr, BD: tl.constexpr):
    # all query heads of one key/value head at once
    s = tl.program_id(0)
    hk = tl.program_id(1)
    n = tl.load(len_ptr + s)
    g = tl.arange(0, BG)
    d = tl.arange(0, BD)
    qo = ((s * HK + hk) * G + g[:, None]) * D + d[None, :]
    qm = (g[:, None] < G) & (d[None, :] < D)
    q = tl.load(q_ptr + qo, mask=qm, other=0.0).to(tl.float32) * scale_log2
    m = tl.full([BG], -float("inf"), dtype=tl.float32)
    l = tl.zeros([BG], dtype=tl.float32)
    acc = tl.zeros([BG, BD], dtype=tl.float32)
    for start in range(0, n, BN):
        t = start + tl.arange(0, BN)
        ok = t < n
        page = tl.load(bt_ptr + s * MAXB + t // BS, mask=ok, other=0)
        off = ((page * BS + t % BS) * HK + hk)[:, None] * D + d[None, :]
        km = ok[:, None] & (d[None, :] < D)
        k = tl.load(k_ptr + off, mask=km, other=0.0).to(tl.float32)
        sc = tl.dot(q, tl.trans(k), input_precision="ieee")
        sc = tl.where(ok[None, :], sc, -float("inf"))
        m_new = tl.maximum(m, tl.max(sc, axis=1))
        r = tl.exp2(m - m_new)
        p = tl.exp2(sc - m_new[:, None])
        l = l * r + tl.sum(p, axis=1)
        v = tl.load(v_ptr + off, mask=km, other=0.0).to(tl.float32)
        acc = acc * r[:, None] + tl.dot(p, v, input_precision="ieee")
        m = m_new
    tl.store(o_ptr + qo, acc / l[:, None], mask=qm)


def custom_kernel(data):
    q, k_cache, v_cache, block_tables, context_lens = (t.contiguous() for t in data[:5])
    scale = data[5]
    S, H, D = q.shape
    _, BS, HK, _ = k_cache.shape
    G = H // HK
    out = torch.empty_like(q)
    paged_gqa[(S, HK)](q, k_cache, v_cache, block_tables, context_lens, out, scale * 1.4426950408889634,
                       HK, G, D, BS, block_tables.shape[1],
                       BG=max(16, triton.next_power_of_2(G)), BN=32, BD=max(16, triton.next_power_of_2(D)))
    return out
