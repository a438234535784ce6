import torch
import triton
import triton.language as tl


@triton.jit
def _gqa_decode(q_ptr, k_ptr, v_ptr, bt_ptr, len_ptr, o_ptr, scale,
                skn, sks, skh, H, HKV, D, BS, MAXB,
                BLOCK_D: tl.constexpr, BLOCK_S: tl.constexpr):
    pid = tl.program_id(0)
    b = pid // H
    h = pid % H
    kvh = h % HKV  # grouped-query head sharing
    n = tl.load(len_ptr + b)
    d = tl.arange(0, BLOCK_D)
    s_off = tl.arange(0, BLOCK_S)
    dm = d < D
    q = tl.load(q_ptr + pid * D + d, mask=dm, other=0.0)
    m_i = -float("inf")
    l_i = 0.0
    acc = tl.zeros([BLOCK_D], dtype=tl.float32)
    for j in range(0, (n + BS - 1) // BS):
        phys = tl.load(bt_ptr + b * MAXB + j).to(tl.int64)
        ok = (s_off < BS) & (j * BS + s_off < n)
        off = phys * skn + s_off[:, None] * sks + kvh * skh + d[None, :]
        msk = ok[:, None] & dm[None, :]
        k = tl.load(k_ptr + off, mask=msk, other=0.0)
        v = tl.load(v_ptr + off, mask=msk, other=0.0)
        s = tl.where(ok, tl.sum(k * q[None, :], axis=1) * scale, -float("inf"))
        m_new = tl.maximum(m_i, tl.max(s, axis=0))
        c = tl.exp(m_i - m_new)
        p = tl.exp(s - m_new)
        l_i = l_i * c + tl.sum(p, axis=0)
        acc = acc * c + tl.sum(p[:, None] * v, axis=0)
        m_i = m_new
    res = tl.where(n > 0, acc / tl.where(l_i > 0, l_i, 1.0), 0.0)
    tl.store(o_ptr + pid * D + d, res, mask=dm)


def custom_kernel(data):
    """Grouped-query paged decode, one program per (sequence, head)."""
    q, kc, vc, bt, sl, scale = data
    q, kc, vc, bt, sl = (x.contiguous() for x in (q, kc, vc, bt, sl))
    B, H, D = q.shape
    out = torch.empty_like(q)
    _gqa_decode[(B * H,)](q, kc, vc, bt, sl, out, scale, *kc.stride()[:3], H, kc.shape[2], D,
                          kc.shape[1], bt.shape[1],
                          BLOCK_D=triton.next_power_of_2(D), BLOCK_S=triton.next_power_of_2(kc.shape[1]))
    return out
