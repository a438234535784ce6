import torch
import triton
import triton.language as tl


@triton.jit
def _swa_fwd(q_ptr, k_ptr, v_ptr, sink_ptr, o_ptr, S, D, W, HQ, REP, scale,
             BM: tl.constexpr, BN: tl.constexpr, BD: tl.constexpr):
    pm = tl.program_id(0)
    bh = tl.program_id(1)
    b = bh // HQ
    h = bh % HQ
    HK = HQ // REP
    q_base = (b * HQ + h) * S * D
    k_base = (b * HK + h // REP) * S * D
    rm = pm * BM + tl.arange(0, BM)
    rd = tl.arange(0, BD)
    mq = (rm < S)[:, None] & (rd < D)[None, :]
    q = tl.load(q_ptr + q_base + rm[:, None] * D + rd[None, :], mask=mq, other=0.0).to(tl.float32) * scale
    m = tl.zeros((BM,), dtype=tl.float32) + tl.load(sink_ptr + h).to(tl.float32)
    l = tl.where(m > float("-inf"), 1.0, 0.0)
    acc = tl.zeros((BM, BD), dtype=tl.float32)
    for n0 in range(0, tl.minimum((pm + 1) * BM, S), BN):
        rn = n0 + tl.arange(0, BN)
        mk = (rn < S)[:, None] & (rd < D)[None, :]
        k = tl.load(k_ptr + k_base + rn[:, None] * D + rd[None, :], mask=mk, other=0.0).to(tl.float32)
        v = tl.load(v_ptr + k_base + rn[:, None] * D + rd[None, :], mask=mk, other=0.0).to(tl.float32)
        s = tl.dot(q, tl.trans(k), input_precision="ieee")
        ok = (rn[None, :] <= rm[:, None]) & (rn[None, :] > rm[:, None] - W) & (rn < S)[None, :]
        s = tl.where(ok, s, float("-inf"))
        m_new = tl.maximum(m, tl.max(s, 1))
        base = tl.where(m_new == float("-inf"), 0.0, m_new)
        p = tl.exp(s - base[:, None])
        alpha = tl.exp(m - base)
        l = l * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None] + tl.dot(p, v, input_precision="ieee")
        m = m_new
    o = acc / l[:, None]
    tl.store(o_ptr + q_base + rm[:, None] * D + rd[None, :], o, mask=mq)


def custom_kernel(data):
    q, k, v, sinks, window = data
    q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
    B, HQ, S, D = q.shape
    out = torch.empty(q.shape, dtype=torch.float32, device=q.device)
    _swa_fwd[(triton.cdiv(S, 32), B * HQ)](q, k, v, sinks, out, S, D, window, HQ, HQ // k.shape[1], D ** -0.5,
                                           BM=32, BN=32, BD=max(16, triton.next_power_of_2(D)))
    return out.to(q.dtype)
