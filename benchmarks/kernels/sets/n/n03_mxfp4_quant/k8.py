import torch
import triton
import triton.language as tl


@triton.jit
def _quant(x_ptr, p_ptr, s_ptr, n_blocks, NB: tl.constexpr):
    blk = tl.program_id(0) * NB + tl.arange(0, NB)
    mb = blk < n_blocks
    j = tl.arange(0, 16)
    base = blk[:, None] * 32 + 2 * j[None, :]
    lo = tl.load(x_ptr + base, mask=mb[:, None], other=0.0)
    hi = tl.load(x_ptr + base + 1, mask=mb[:, None], other=0.0)
    lob = lo.to(tl.int32, bitcast=True)
    hib = hi.to(tl.int32, bitcast=True)
    top = tl.max(tl.maximum(lob & 0x7FFFFFFF, hib & 0x7FFFFFFF), axis=1)
    e = top >> 23
    bad = e == 255
    zero = top == 0
    s = tl.where(zero, -127, e - 129)
    inv = tl.where(zero, 0.0, tl.exp2(-s.to(tl.float32)))
    a = tl.abs(lo) * inv[:, None]
    b = tl.abs(hi) * inv[:, None]
    ca = ((a > 0.25).to(tl.int32) + (a >= 0.75).to(tl.int32) + (a > 1.25).to(tl.int32) + (a >= 1.75).to(tl.int32)
          + (a > 2.5).to(tl.int32) + (a >= 3.5).to(tl.int32) + (a > 5.0).to(tl.int32))
    cb = ((b > 0.25).to(tl.int32) + (b >= 0.75).to(tl.int32) + (b > 1.25).to(tl.int32) + (b >= 1.75).to(tl.int32)
          + (b > 2.5).to(tl.int32) + (b >= 3.5).to(tl.int32) + (b > 5.0).to(tl.int32))
    out = (ca | ((lob >> 28) & 8)) | ((cb | ((hib >> 28) & 8)) << 4)
    out = tl.where(bad[:, None], 0, out)
    tl.store(p_ptr + blk[:, None] * 16 + j[None, :], out.to(tl.uint8), mask=mb[:, None])
    tl.store(s_ptr + blk, tl.where(bad, 255, s + 127).to(tl.uint8), mask=mb)


def custom_kernel(data):
    x = data[0].contiguous()
    R, C = x.shape
    p = torch.empty(R, C // 2, dtype=torch.uint8, device=x.device)
    s = torch.empty(R, C // 32, dtype=torch.uint8, device=x.device)
    nb = R * C // 32
    _quant[(triton.cdiv(nb, 16),)](x, p, s, nb, NB=16)
    return p, s
