import torch
import triton
import triton.language as tl


@triton.jit
def _rope_pairs(src, out, pos, cos, sin, ssb, ssh, n, half, total, dim, BLOCK: tl.constexpr):
    """Flat over (sequence, head, pair): no program knows a head."""
    e = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = e < total
    i = e % half
    h = (e // half) % n
    b = e // (half * n)
    p = tl.load(pos + b, mask=ok, other=0)
    c = tl.load(cos + p * half + i, mask=ok, other=0.0)
    s = tl.load(sin + p * half + i, mask=ok, other=0.0)
    at = src + b * ssb + h * ssh + i
    x1 = tl.load(at, mask=ok, other=0.0)
    x2 = tl.load(at + half, mask=ok, other=0.0)
    to = out + (b * n + h) * dim + i
    tl.store(to, x1 * c - x2 * s, mask=ok)
    tl.store(to + half, x2 * c + x1 * s, mask=ok)


def _rope(t, cos, sin, pos):
    batch, n, dim = t.shape
    half = cos.shape[1]
    out = torch.empty((batch, n, dim), dtype=torch.float32, device=t.device)
    out[..., 2 * half:] = t[..., 2 * half:]
    total = batch * n * half
    _rope_pairs[(triton.cdiv(total, 128),)](t, out, pos, cos, sin, t.stride(0), t.stride(1), n, half, total, dim,
                                            BLOCK=128)
    return out


def custom_kernel(data):
    q, k, v, cos, sin, k_cache, v_cache, pos = data
    batch, seq = k_cache.shape[:2]
    flat = torch.arange(batch, device=pos.device) * seq + pos
    k_cache.view(batch * seq, *k.shape[1:]).index_copy_(0, flat, _rope(k, cos, sin, pos).half())
    v_cache.view(batch * seq, *v.shape[1:]).index_copy_(0, flat, v.half())
    return _rope(q, cos, sin, pos), k_cache, v_cache
