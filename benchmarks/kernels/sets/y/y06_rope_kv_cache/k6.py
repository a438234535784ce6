import torch
import triton
import triton.language as tl


@triton.jit
def _step(q, k, v, cos, sin, pos, q_out, k_cache, v_cache,
          sqb, sqh, skb, skh, svb, svh, heads, kv_heads, dim, half, seq,
          BH: tl.constexpr, BD: tl.constexpr):
    """One program per (sequence, head); heads >= the number of query heads are the key/value heads."""
    b = tl.program_id(0)
    h = tl.program_id(1)
    p = tl.load(pos + b)
    i = tl.arange(0, BH)
    im = i < half
    c = tl.load(cos + p * half + i, mask=im, other=0.0)
    s = tl.load(sin + p * half + i, mask=im, other=0.0)
    d = tl.arange(0, BD)
    if h < heads:
        src = q + b * sqb + h * sqh
        dst = q_out + (b * heads + h) * dim
        x1 = tl.load(src + i, mask=im, other=0.0)
        x2 = tl.load(src + half + i, mask=im, other=0.0)
        tl.store(dst + i, x1 * c - x2 * s, mask=im)
        tl.store(dst + half + i, x2 * c + x1 * s, mask=im)
        tail = (d >= 2 * half) & (d < dim)
        tl.store(dst + d, tl.load(src + d, mask=tail, other=0.0), mask=tail)
    else:
        g = h - heads
        slot = ((b * seq + p) * kv_heads + g) * dim
        src = k + b * skb + g * skh
        x1 = tl.load(src + i, mask=im, other=0.0)
        x2 = tl.load(src + half + i, mask=im, other=0.0)
        o1 = x1 * c - x2 * s
        o2 = x2 * c + x1 * s
        tl.store(k_cache + slot + i, o1.to(tl.float16), mask=im)
        tl.store(k_cache + slot + half + i, o2.to(tl.float16), mask=im)
        tail = (d >= 2 * half) & (d < dim)
        rest = tl.load(src + d, mask=tail, other=0.0)
        tl.store(k_cache + slot + d, rest.to(tl.float16), mask=tail)
        dm = d < dim
        val = tl.load(v + b * svb + g * svh + d, mask=dm, other=0.0)
        tl.store(v_cache + slot + d, val.to(tl.float16), mask=dm)


def custom_kernel(data):
    q, k, v, cos, sin, k_cache, v_cache, pos = data
    batch, heads, dim = q.shape
    kv_heads = k.shape[1]
    half = cos.shape[1]
    q_out = torch.empty((batch, heads, dim), dtype=torch.float32, device=q.device)
    _step[(batch, heads + kv_heads)](
        q, k, v, cos, sin, pos, q_out, k_cache, v_cache,
        heads * dim, dim, kv_heads * dim, dim, kv_heads * dim, dim,
        heads, kv_heads, dim, half, k_cache.shape[1],
        BH=triton.next_power_of_2(half), BD=triton.next_power_of_2(dim))
    return q_out, k_cache, v_cache
