import torch
import triton
import triton.language as tl


@triton.jit
def _paged_decode(q_ptr, k_ptr, v_ptr, bt_ptr, len_ptr, o_ptr, scale,
                  sqb, sqh, sqd, skn, sks, skh, skd, svn, svs, svh, svd, sbb, sbj, sl,
                  H, D, GROUP, BS,
                  BLOCK_D: tl.constexpr, BLOCK_S: tl.constexpr):
    """Online-softmax paged decode: one program per (sequence, query head)."""
    b = tl.program_id(0)
    h = tl.program_id(1)
    kvh = h // GROUP
    n = tl.load(len_ptr + b * sl)
    d = tl.arange(0, BLOCK_D)
    dm = d < D
    q = tl.load(q_ptr + b * sqb + h * sqh + d * sqd, mask=dm, other=0.0) * scale
    s_off = tl.arange(0, BLOCK_S)
    m_i = -float("inf")
    l_i = 0.0
    acc = tl.zeros([BLOCK_D], dtype=tl.float32)
    nblk = (n + BS - 1) // BS
    for j in range(0, nblk):
        phys = tl.load(bt_ptr + b * sbb + j * sbj).to(tl.int64)
        ok = (s_off < BS) & (j * BS + s_off < n)
        m2 = ok[:, None] & dm[None, :]
        k = tl.load(k_ptr + phys * skn + s_off[:, None] * sks + kvh * skh + d[None, :] * skd, mask=m2, other=0.0)
        v = tl.load(v_ptr + phys * svn + s_off[:, None] * svs + kvh * svh + d[None, :] * svd, mask=m2, other=0.0)
        s = tl.sum(k * q[None, :], axis=1)
        s = tl.where(ok, s, -float("inf"))
        m_new = tl.maximum(m_i, tl.max(s, axis=0))
        alpha = tl.exp(m_i - m_new)
        p = tl.exp(s - m_new)
        l_i = l_i * alpha + tl.sum(p, axis=0)
        acc = acc * alpha + tl.sum(p[:, None] * v, axis=0)
        m_i = m_new
    if n > 0:
        acc = acc / l_i
    tl.store(o_ptr + (b * H + h) * D + d, acc, mask=dm)


def custom_kernel(data):
    q, kc, vc, bt, sl, scale = data
    B, H, D = q.shape
    out = torch.empty((B, H, D), dtype=q.dtype, device=q.device)
    BS, HKV = kc.shape[1], kc.shape[2]
    _paged_decode[(B, H)](
        q, kc, vc, bt, sl, out, scale,
        *q.stride(), *kc.stride(), *vc.stride(), *bt.stride(), sl.stride(0),
        H, D, H // HKV, BS,
        BLOCK_D=triton.next_power_of_2(D), BLOCK_S=triton.next_power_of_2(BS))
    return out
