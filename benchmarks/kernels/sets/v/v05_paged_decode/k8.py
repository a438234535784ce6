import torch
import triton
import triton.language as tl


# two passes over tiles of 32 positions that don't follow the pages; one program for each kv head
@triton.jit
def _two_pass(q_ptr, k_ptr, v_ptr, tab_ptr, len_ptr, o_ptr, window, scale, HK, D, W, PAGE, REP,
              BT: tl.constexpr, BR: tl.constexpr, BD: tl.constexpr):
    b = tl.program_id(0)
    g = tl.program_id(1)
    rd = tl.arange(0, BD)
    rr = tl.arange(0, BR)
    n = tl.load(len_ptr + b)
    lo = tl.where(window > 0, tl.maximum(n - window, 0), 0)
    qo = ((b * HK + g) * REP + rr[:, None]) * D + rd[None, :]
    mq = (rr[:, None] < REP) & (rd[None, :] < D)
    q = tl.load(q_ptr + qo, mask=mq, other=0.0).to(tl.float32) * scale
    m = tl.full((BR,), -1e30, dtype=tl.float32)
    for t0 in range(lo, n, BT):
        t = t0 + tl.arange(0, BT)
        ok = t < n
        blk = tl.load(tab_ptr + b * W + t // PAGE, mask=ok, other=0)
        base = ((blk * PAGE + t % PAGE) * HK + g) * D
        k = tl.load(k_ptr + base[:, None] + rd[None, :], mask=ok[:, None] & (rd[None, :] < D), other=0.0).to(tl.float32)
        s = tl.sum(q[:, None, :] * k[None, :, :], 2)
        s = tl.where(ok[None, :], s, float("-inf"))
        m = tl.maximum(m, tl.max(s, 1))
    z = tl.zeros((BR,), dtype=tl.float32)
    acc = tl.zeros((BR, BD), dtype=tl.float32)
    for t0 in range(lo, n, BT):
        t = t0 + tl.arange(0, BT)
        ok = t < n
        blk = tl.load(tab_ptr + b * W + t // PAGE, mask=ok, other=0)
        base = ((blk * PAGE + t % PAGE) * HK + g) * D
        full = ok[:, None] & (rd[None, :] < D)
        k = tl.load(k_ptr + base[:, None] + rd[None, :], mask=full, other=0.0).to(tl.float32)
        v = tl.load(v_ptr + base[:, None] + rd[None, :], mask=full, other=0.0).to(tl.float32)
        s = tl.sum(q[:, None, :] * k[None, :, :], 2)
        e = tl.where(ok[None, :], tl.exp(s - m[:, None]), 0.0)
        z += tl.sum(e, 1)
        acc += tl.sum(e[:, :, None] * v[None, :, :], 1)
    z = tl.where(z > 0, z, 1.0)
    tl.store(o_ptr + qo, (acc / z[:, None]).to(o_ptr.dtype.element_ty), mask=mq)


def custom_kernel(data):
    q, kc, vc, table, lens, window = data
    B, HQ, D = q.shape
    HK = kc.shape[2]
    out = torch.empty_like(q)
    _two_pass[(B, HK)](q, kc, vc, table, lens, out, window, D ** -0.5, HK, D, table.shape[1],
                       kc.shape[1], HQ // HK, BT=32, BR=triton.next_power_of_2(HQ // HK),
                       BD=triton.next_power_of_2(D))
    return out
