import torch
import triton
import triton.language as tl


@triton.jit
def _drop(x_ptr, r_ptr, o_ptr, m_ptr, n, off_lo, off_hi, key, thr, inv, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < n
    c = i.to(tl.int64) + off_lo
    lo = (c & 0xFFFFFFFF).to(tl.uint32)
    hi = ((c >> 32) + off_hi).to(tl.uint32)
    zero = tl.zeros((BLOCK,), dtype=tl.int64)
    k = (zero + key).to(tl.uint32)
    t = (zero + thr).to(tl.uint32)
    c1 = tl.full((BLOCK,), 0x9E3779B9, dtype=tl.uint32)
    c2 = tl.full((BLOCK,), 0x85EBCA6B, dtype=tl.uint32)
    c3 = tl.full((BLOCK,), 0xC2B2AE35, dtype=tl.uint32)
    h = k ^ (hi * c1)
    h = lo * c2 + h
    h = h ^ (h >> 16)
    h = h * c2
    h = h ^ (h >> 13)
    h = h * c3
    h = h ^ (h >> 16)
    keep = (h >= t) & ok
    x = tl.load(x_ptr + i, mask=ok, other=0.0).to(tl.float32)
    r = tl.load(r_ptr + i, mask=ok, other=0.0).to(tl.float32)
    o = tl.where(keep, x * inv, 0.0) + r
    tl.store(o_ptr + i, o.to(o_ptr.dtype.element_ty), mask=ok)
    WORDS: tl.constexpr = BLOCK // 32
    bit = tl.reshape(keep.to(tl.int64), (WORDS, 32)) << tl.arange(0, 32)[None, :].to(tl.int64)
    word = tl.sum(bit, 1).to(tl.int32)
    w = tl.program_id(0) * WORDS + tl.arange(0, WORDS)
    tl.store(m_ptr + w, word, mask=w * 32 < n)


def custom_kernel(data):
    x, residual, p, key, offset = data
    n = x.numel()
    out = torch.empty_like(x)
    mask = torch.empty((n + 31) // 32, dtype=torch.int32, device=x.device)
    BLOCK = 512
    _drop[(triton.cdiv(n, BLOCK),)](x, residual, out, mask, n, offset & 0xFFFFFFFF, offset >> 32, key,
                                int(p * 2 ** 32), 1.0 / (1.0 - p), BLOCK=BLOCK)
    return out, mask
