import torch
import triton
import triton.language as tl


@triton.jit
def _attn16(q_ptr, k_ptr, v_ptr, sink_ptr, o_ptr, S, D, W, HQ, REP, scale,
            BM: tl.constexpr, BN: tl.constexpr, BD: tl.constexpr):
    pm = tl.program_id(0)
    bh = tl.program_id(1)
    h = bh % HQ
    q_base = bh * S * D
    k_base = ((bh // HQ) * (HQ // REP) + h // REP) * S * D
    rm = pm * BM + tl.arange(0, BM)
    rd = tl.arange(0, BD)
    mq = (rm < S)[:, None] & (rd < D)[None, :]
    q = tl.load(q_ptr + q_base + rm[:, None] * D + rd[None, :], mask=mq, other=0.0).to(tl.float32).to(tl.float16)
    m = tl.zeros((BM,), dtype=tl.float32) + tl.load(sink_ptr + h)
    l = tl.full((BM,), 1.0, dtype=tl.float32)
    acc = tl.zeros((BM, BD), dtype=tl.float32)
    for n0 in range(0, tl.minimum((pm + 1) * BM, S), BN):
        rn = n0 + tl.arange(0, BN)
        mk = (rn < S)[:, None] & (rd < D)[None, :]
        k = tl.load(k_ptr + k_base + rn[:, None] * D + rd[None, :], mask=mk, other=0.0).to(tl.float32).to(tl.float16)
        v = tl.load(v_ptr + k_base + rn[:, None] * D + rd[None, :], mask=mk, other=0.0).to(tl.float32).to(tl.float16)
        s = tl.dot(q, tl.trans(k)) * scale
        ok = (rn[None, :] <= rm[:, None]) & (rn[None, :] > rm[:, None] - W)
        s = tl.where(ok, s, float("-inf"))
        m_new = tl.maximum(m, tl.max(s, 1))
        p = tl.exp(s - m_new[:, None])
        alpha = tl.exp(m - m_new)
        l = l * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None] + tl.dot(p.to(tl.float16), v)
        m = m_new
    tl.store(o_ptr + q_base + rm[:, None] * D + rd[None, :], (acc / l[:, None]).to(tl.bfloat16), mask=mq)


def custom_kernel(data):
    q, k, v, sinks, window = data
    q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
    B, HQ, S, D = q.shape
    out = torch.empty(q.shape, dtype=q.dtype, device=q.device)
    _attn16[(triton.cdiv(S, 32), B * HQ)](q, k, v, sinks, out, S, D, window, HQ, HQ // k.shape[1], D ** -0.5,
                                          BM=32, BN=32, BD=max(16, triton.next_power_of_2(D)))
    return out
