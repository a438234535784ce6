import torch
import triton
import triton.language as tl


@triton.jit
def _swa_skip(q_ptr, k_ptr, v_ptr, sink_ptr, o_ptr, S, D, W, HQ, REP, scale,
              sqb, sqh, sqs, sqd, skb, skh, sks, skd, svb, svh, svs, svd,
              BM: tl.constexpr, BN: tl.constexpr, BD: tl.constexpr):
    pm = tl.program_id(0)
    bh = tl.program_id(1)
    b = bh // HQ
    h = bh % HQ
    hk = h // REP
    rm = pm * BM + tl.arange(0, BM)
    rd = tl.arange(0, BD)
    mq = (rm < S)[:, None] & (rd < D)[None, :]
    q = tl.load(q_ptr + b * sqb + h * sqh + rm[:, None] * sqs + rd[None, :] * sqd, mask=mq, other=0.0).to(tl.float32)
    log2e = 1.4426950408889634
    sink = tl.load(sink_ptr + h).to(tl.float32) * log2e
    m = tl.full((BM,), float("-inf"), dtype=tl.float32)
    l = tl.zeros((BM,), dtype=tl.float32)
    acc = tl.zeros((BM, BD), dtype=tl.float32)
    lo = tl.maximum(pm * BM - W + 1, 0) // BN * BN
    hi = tl.minimum(pm * BM + BM, S)
    for n0 in range(lo, hi, BN):
        rn = n0 + tl.arange(0, BN)
        mk = (rn < S)[:, None] & (rd < D)[None, :]
        k = tl.load(k_ptr + b * skb + hk * skh + rn[:, None] * sks + rd[None, :] * skd, mask=mk, other=0.0).to(tl.float32)
        v = tl.load(v_ptr + b * svb + hk * svh + rn[:, None] * svs + rd[None, :] * svd, mask=mk, other=0.0).to(tl.float32)
        s = tl.dot(q, tl.trans(k), input_precision="ieee") * (scale * log2e)
        dist = rm[:, None] - rn[None, :]
        s = tl.where((dist >= 0) & (dist < W), s, float("-inf"))
        m_new = tl.maximum(m, tl.max(s, 1))
        safe = tl.where(m_new == float("-inf"), 0.0, m_new)
        p = tl.exp2(s - safe[:, None])
        alpha = tl.exp2(m - safe)
        l = l * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None] + tl.dot(p, v, input_precision="ieee")
        m = m_new
    m_fin = tl.maximum(m, sink)
    c = tl.exp2(m - m_fin)
    l = l * c + tl.exp2(sink - m_fin)
    o = acc * c[:, None] / l[:, None]
    tl.store(o_ptr + (bh * S + rm)[:, None] * D + rd[None, :], o.to(tl.bfloat16), mask=mq)


def custom_kernel(data):
    q, k, v, sinks, window = data
    B, HQ, S, D = q.shape
    out = torch.empty((B, HQ, S, D), dtype=q.dtype, device=q.device)
    _swa_skip[(triton.cdiv(S, 32), B * HQ)](q, k, v, sinks, out, S, D, window, HQ, HQ // k.shape[1], D ** -0.5,
                                            *q.stride(), *k.stride(), *v.stride(),
                                            BM=32, BN=16, BD=max(16, triton.next_power_of_2(D)))
    return out
