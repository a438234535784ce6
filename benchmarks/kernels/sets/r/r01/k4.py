import torch
import triton
import triton.language as tl


@triton.jit
def _decode(q_ptr, k_ptr, v_ptr, bt_ptr, len_ptr, o_ptr, scale,
            H, HKV, D, BS, MAXB, BLOCK_D: tl.constexpr, BLOCK_S: tl.constexpr):
    b = tl.program_id(0)
    h = tl.program_id(1)
    n = tl.load(len_ptr + b)
    if n > 0:
        kvh = h // (H // HKV)
        d = tl.arange(0, BLOCK_D)
        s_off = tl.arange(0, BLOCK_S)
        dm = d < D
        q = tl.load(q_ptr + (b * H + h) * D + d, mask=dm, other=0.0)
        m_i = -1e30
        l_i = 0.0
        acc = tl.zeros([BLOCK_D], dtype=tl.float32)
        for j in range(0, (n + BS - 1) // BS):
            phys = tl.load(bt_ptr + b * MAXB + j)
            ok = (s_off < BS) & (j * BS + s_off < n)
            off = ((phys * BS + s_off[:, None]) * HKV + kvh) * D + d[None, :]
            msk = ok[:, None] & dm[None, :]
            k = tl.load(k_ptr + off, mask=msk, other=0.0)
            v = tl.load(v_ptr + off, mask=msk, other=0.0)
            s = tl.where(ok, tl.sum(k * q[None, :], axis=1) * scale, -1e30)
            m_new = tl.maximum(m_i, tl.max(s, axis=0))
            c = tl.exp(m_i - m_new)
            p = tl.where(ok, tl.exp(s - m_new), 0.0)
            l_i = l_i * c + tl.sum(p, axis=0)
            acc = acc * c + tl.sum(p[:, None] * v, axis=0)
            m_i = m_new
        tl.store(o_ptr + (b * H + h) * D + d, acc / l_i, mask=dm)


def custom_kernel(data):
    """Paged decode; programs of sequences with nothing cached exit early."""
    q, kc, vc, bt, sl, scale = data
    q, kc, vc, bt, sl = (x.contiguous() for x in (q, kc, vc, bt, sl))
    B, H, D = q.shape
    out = torch.empty_like(q)
    _decode[(B, H)](q, kc, vc, bt, sl, out, scale, H, kc.shape[2], D, kc.shape[1], bt.shape[1],
                    BLOCK_D=triton.next_power_of_2(D), BLOCK_S=triton.next_power_of_2(kc.shape[1]))
    return out
