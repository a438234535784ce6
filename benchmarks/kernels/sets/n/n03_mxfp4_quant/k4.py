import torch
import triton
import triton.language as tl


@triton.jit
def _e2m1(bits, byte):
    """float32 bits -> E2M1 code, integer arithmetic only."""
    mag = bits & 0x7FFFFFFF
    e = mag >> 23
    normal_in = e > 0
    man = (mag & 0x7FFFFF) | tl.where(normal_in, 0x800000, 0)
    t = tl.maximum(e, 1) - byte       # |x| / 2^s = man * 2^(t - 23)
    is_norm = normal_in & (t >= 0)    # at least one: a single mantissa bit below the leading one
    drop = tl.where(is_norm, 22, 22 - t)
    drop = tl.minimum(drop, 30)
    half = (1 << (drop - 1)) - 1
    r = (man + half + ((man >> drop) & 1)) >> drop
    # r in {2, 3, 4} for the upper binades, code = 2 * (t + 1) + (r - 2); below, steps of one half, code = r
    code = tl.where(is_norm, 2 * t + r, r)
    return tl.minimum(code, 7) | ((bits >> 28) & 8)


@triton.jit
def _kernel(x_ptr, p_ptr, s_ptr, C, BB: tl.constexpr):
    row = tl.program_id(0)
    nb = C // 32
    blk = tl.program_id(1) * BB + tl.arange(0, BB)
    m = blk < nb
    j = tl.arange(0, 32)
    v = tl.load(x_ptr + row * C + blk[:, None] * 32 + j[None, :], mask=m[:, None], other=0)
    top = tl.max(v & 0x7FFFFFFF, axis=1)
    e = top >> 23
    bad = e >= 255
    byte = tl.where(e > 2, e - 2, 0)
    code = _e2m1(v, byte[:, None])
    code = tl.where(bad[:, None], 0, code)
    pair = tl.reshape(code, (BB, 16, 2))
    w = tl.sum(pair * tl.where(tl.arange(0, 2) == 0, 1, 16)[None, None, :], axis=2)
    jj = tl.arange(0, 16)
    tl.store(p_ptr + row * (C // 2) + blk[:, None] * 16 + jj[None, :], w.to(tl.uint8), mask=m[:, None])
    tl.store(s_ptr + row * nb + blk, tl.where(bad, 255, byte).to(tl.uint8), mask=m)


def custom_kernel(data):
    x = data[0].contiguous()
    R, C = x.shape
    p = torch.empty(R, C // 2, dtype=torch.uint8, device=x.device)
    s = torch.empty(R, C // 32, dtype=torch.uint8, device=x.device)
    _kernel[(R, triton.cdiv(C // 32, 8))](x.view(torch.int32), p, s, C, BB=8)
    return p, s
