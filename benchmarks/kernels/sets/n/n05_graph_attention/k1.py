import torch
import triton
import triton.language as tl


@triton.jit
def _gat(rp_ptr, col_ptr, q_ptr, k_ptr, v_ptr, b_ptr, o_ptr, scale, slope, H, D,
         BE: tl.constexpr, BD: tl.constexpr):
    i = tl.program_id(0)
    h = tl.program_id(1)
    lo = tl.load(rp_ptr + i)
    hi = tl.load(rp_ptr + i + 1)
    d = tl.arange(0, BD)
    md = d < D
    q = tl.load(q_ptr + (i * H + h) * D + d, mask=md, other=0.0)
    m = -float("inf")
    z = 0.0
    acc = tl.zeros((BD,), tl.float32)
    for e0 in range(lo, hi, BE):
        e = e0 + tl.arange(0, BE)
        me = e < hi
        j = tl.load(col_ptr + e, mask=me, other=0)
        kv = (j * H + h)[:, None] * D + d[None, :]
        m2 = me[:, None] & md[None, :]
        kk = tl.load(k_ptr + kv, mask=m2, other=0.0)
        s = tl.sum(kk * q[None, :], axis=1) * scale
        s = tl.where(s > 0, s, s * slope)
        s += tl.load(b_ptr + e * H + h, mask=me, other=0.0)
        s = tl.where(me, s, -float("inf"))
        mn = tl.maximum(m, tl.max(s, axis=0))
        ref = tl.where(mn == -float("inf"), 0.0, mn)
        p = tl.exp(s - ref)
        f = tl.exp(m - ref)
        vv = tl.load(v_ptr + kv, mask=m2, other=0.0)
        acc = acc * f + tl.sum(p[:, None] * vv, axis=0)
        z = z * f + tl.sum(p, axis=0)
        m = mn
    z = tl.where(z > 0, z, 1.0)
    tl.store(o_ptr + (i * H + h) * D + d, acc / z, mask=md)


def custom_kernel(data):
    rowptr, col, q, k, v, bias, scale, slope = data
    q, k, v, bias = q.contiguous(), k.contiguous(), v.contiguous(), bias.contiguous()
    N, H, D = q.shape
    out = torch.empty_like(q)
    _gat[(N, H)](rowptr, col, q, k, v, bias, out, scale, slope, H, D, BE=16, BD=triton.next_power_of_2(D))
    return out
