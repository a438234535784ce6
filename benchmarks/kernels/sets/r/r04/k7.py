import torch
import triton
import triton.language as tl


@triton.jit
def _verify_row(d_ptr, pd_ptr, pt_ptr, ua_ptr, us_ptr, o_ptr, K, V, BLOCK: tl.constexpr):
    b = tl.program_id(0)
    alive = 1
    n = 0
    for i in range(0, K):
        t = tl.load(d_ptr + b * K + i)
        q = tl.load(pd_ptr + (b * K + i) * V + t)
        p = tl.load(pt_ptr + (b * (K + 1) + i) * V + t)
        u = tl.load(ua_ptr + b * K + i)
        alive = tl.where(u * q < p, alive, 0)
        tl.store(o_ptr + b * (K + 1) + i, tl.where(alive > 0, t, -1))
        n += alive
    v = tl.arange(0, BLOCK)
    m = v < V
    tgt = tl.load(pt_ptr + (b * (K + 1) + n) * V + v, mask=m, other=0.0)
    drf = tl.load(pd_ptr + (b * K + n) * V + v, mask=v < tl.where(n < K, V, 0), other=0.0)
    r = tl.maximum(tgt - drf, 0.0)
    c = tl.cumsum(r, axis=0)
    thr = tl.load(us_ptr + b) * tl.sum(r, axis=0)
    tok = tl.sum(tl.where(m & (c <= thr), 1, 0), axis=0)
    tl.store(o_ptr + b * (K + 1) + n, tl.minimum(tok, V - 1))
    for i in range(n + 1, K + 1):
        tl.store(o_ptr + b * (K + 1) + i, -1)


def custom_kernel(data):
    """One program per sequence with the vocabulary row held in registers."""
    draft, pd, pt, ua, us = (t.contiguous() for t in data)
    B, K = draft.shape
    V = pd.shape[2]
    out = torch.empty(B, K + 1, dtype=torch.int64)
    _verify_row[(B,)](draft, pd, pt, ua, us, out, K, V, BLOCK=triton.next_power_of_2(V))
    return out
