import torch
import triton
import triton.language as tl


@triton.jit
def _rope_rows(src, dst, pos, cos, sin, ssb, ssh, dsb, dsh, dsp, n, dim, half,
               BN: tl.constexpr, BD: tl.constexpr):
    """All heads of one sequence as a 2-D tile. dsp is the stride of a position in dst (0: none)."""
    b = tl.program_id(0)
    p = tl.load(pos + b)
    h = tl.arange(0, BN)[:, None]
    d = tl.arange(0, BD)[None, :]
    ok = (h < n) & (d < dim)
    rot = d < 2 * half
    low = d < half
    # the partner of an element and the sign its sine takes
    mate = tl.where(low, d + half, d - half)
    sign = tl.where(low, -1.0, 1.0)
    col = tl.where(low, d, d - half)
    base = src + b * ssb + h * ssh
    x = tl.load(base + d, mask=ok, other=0.0)
    y = tl.load(base + mate, mask=ok & rot, other=0.0)
    c = tl.load(cos + p * half + col, mask=ok & rot, other=1.0)
    s = tl.load(sin + p * half + col, mask=ok & rot, other=0.0)
    out = tl.where(rot, x * c + sign * y * s, x)
    tl.store(dst + b * dsb + p * dsp + h * dsh + d, out.to(dst.dtype.element_ty), mask=ok)


@triton.jit
def _copy_rows(src, dst, pos, ssb, ssh, dsb, dsh, dsp, n, dim, BN: tl.constexpr, BD: tl.constexpr):
    b = tl.program_id(0)
    p = tl.load(pos + b)
    h = tl.arange(0, BN)[:, None]
    d = tl.arange(0, BD)[None, :]
    ok = (h < n) & (d < dim)
    x = tl.load(src + b * ssb + h * ssh + d, mask=ok, other=0.0)
    tl.store(dst + b * dsb + p * dsp + h * dsh + d, x.to(dst.dtype.element_ty), mask=ok)


def custom_kernel(data):
    q, k, v, cos, sin, k_cache, v_cache, pos = data
    batch, heads, dim = q.shape
    kvh = k.shape[1]
    half = cos.shape[1]
    np2 = triton.next_power_of_2
    q_out = torch.empty((batch, heads, dim), dtype=torch.float32, device=q.device)
    _rope_rows[(batch,)](q, q_out, pos, cos, sin, q.stride(0), q.stride(1), heads * dim, dim, 0,
                         heads, dim, half, BN=np2(heads), BD=np2(dim))
    _rope_rows[(batch,)](k, k_cache, pos, cos, sin, k.stride(0), k.stride(1), k_cache.stride(0), k_cache.stride(2),
                         k_cache.stride(1), kvh, dim, half, BN=np2(kvh), BD=np2(dim))
    _copy_rows[(batch,)](v, v_cache, pos, v.stride(0), v.stride(1), v_cache.stride(0), v_cache.stride(2),
                         v_cache.stride(1), kvh, dim, BN=np2(kvh), BD=np2(dim))
    return q_out, k_cache, v_cache
