import torch
import triton
import triton.language as tl


@triton.jit
def _decode(q_ptr, k_ptr, v_ptr, tab_ptr, len_ptr, o_ptr, window, scale,
            HK, D, W, PAGE: tl.constexpr, REP: tl.constexpr, BD: tl.constexpr):
    b = tl.program_id(0)
    h = tl.program_id(1)
    HQ = HK * REP
    hk = h // REP
    rd = tl.arange(0, BD)
    md = rd < D
    n = tl.load(len_ptr + b)
    q = tl.load(q_ptr + (b * HQ + h) * D + rd, mask=md, other=0.0).to(tl.float32)
    lo = 0
    if window > 0:
        lo = tl.maximum(n - window, 0)
    m = 0.0
    l = 0.0
    acc = tl.zeros((BD,), dtype=tl.float32)
    for p in range(lo // PAGE, tl.cdiv(n, PAGE)):
        blk = tl.load(tab_ptr + b * W + p).to(tl.int64)
        t = p * PAGE + tl.arange(0, PAGE)
        ok = (t >= lo) & (t < n)
        base = ((blk * PAGE + tl.arange(0, PAGE)) * HK + hk) * D
        full = ok[:, None] & md[None, :]
        k = tl.load(k_ptr + base[:, None] + rd[None, :], mask=full, other=0.0).to(tl.float32)
        v = tl.load(v_ptr + base[:, None] + rd[None, :], mask=full, other=0.0).to(tl.float32)
        s = tl.where(ok, tl.sum(k * q[None, :], 1) * scale, float("-inf"))
        m_new = tl.maximum(m, tl.max(s, 0))
        corr = tl.exp(m - m_new)
        e = tl.exp(s - m_new)
        l = l * corr + tl.sum(e, 0)
        acc = acc * corr + tl.sum(e[:, None] * v, 0)
        m = m_new
    if n > 0:
        acc = acc / l
    tl.store(o_ptr + (b * HQ + h) * D + rd, acc.to(o_ptr.dtype.element_ty), mask=md)


def custom_kernel(data):
    q, kc, vc, table, lens, window = data
    B, HQ, D = q.shape
    HK = kc.shape[2]
    out = torch.empty_like(q)
    _decode[(B, HQ)](q, kc, vc, table, lens, out, window, D ** -0.5, HK, D, table.shape[1],
                     PAGE=kc.shape[1], REP=HQ // HK, BD=triton.next_power_of_2(D))
    return out
