import torch
import triton
import triton.language as tl


@triton.jit
def _verify(d_ptr, pd_ptr, pt_ptr, ua_ptr, us_ptr, o_ptr, K, V, BLOCK: tl.constexpr):
    b = tl.program_id(0)
    alive = 1
    n = 0
    for i in range(0, K):
        t = tl.load(d_ptr + b * K + i)
        q = tl.load(pd_ptr + (b * K + i) * V + t)
        p = tl.load(pt_ptr + (b * (K + 1) + i) * V + t)
        u = tl.load(ua_ptr + b * K + i)
        hit = tl.where(u * q < p, alive, 0)
        tl.store(o_ptr + b * (K + 1) + i, tl.where(hit > 0, t, -1))
        alive = hit
        n += hit
    v = tl.arange(0, BLOCK)
    tgt = pt_ptr + (b * (K + 1) + n) * V
    drf = pd_ptr + (b * K + n) * V
    # width of the draft row: no draft distribution after the last drafted token
    vd = tl.where(n < K, V, 0)
    tot = 0.0
    for s in range(0, V, BLOCK):
        m = s + v < V
        x = tl.load(tgt + s + v, mask=m, other=0.0) - tl.load(drf + s + v, mask=s + v < vd, other=0.0)
        tot += tl.sum(tl.maximum(x, 0.0), axis=0)
    vs = tl.where(tot > 0.0, vd, 0)
    tot = tl.where(tot > 0.0, tot, 1.0)
    thr = tl.load(us_ptr + b) * tot
    carry = 0.0
    tok = 0
    for s in range(0, V, BLOCK):
        m = s + v < V
        x = tl.load(tgt + s + v, mask=m, other=0.0) - tl.load(drf + s + v, mask=s + v < vs, other=0.0)
        x = tl.maximum(x, 0.0)
        c = carry + tl.cumsum(x, axis=0)
        # the number of entries whose running sum has not passed the threshold
        tok += tl.sum(tl.where(m & (c <= thr), 1, 0), axis=0)
        carry += tl.sum(x, axis=0)
    tl.store(o_ptr + b * (K + 1) + n, tok)
    for i in range(n + 1, K + 1):
        tl.store(o_ptr + b * (K + 1) + i, -1)


def custom_kernel(data):
    """One program per sequence; the vocabulary is streamed twice in blocks."""
    draft, pd, pt, ua, us = (t.contiguous() for t in data)
    B, K = draft.shape
    out = torch.empty(B, K + 1, dtype=torch.int64)
    _verify[(B,)](draft, pd, pt, ua, us, out, K, pd.shape[2], BLOCK=64)
    return out
