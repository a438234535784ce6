import torch
import triton
import triton.language as tl


@triton.jit
def _quant(x_ptr, p_ptr, s_ptr, n_blocks, NB: tl.constexpr):
    blk = tl.program_id(0) * NB + tl.arange(0, NB)
    mb = blk < n_blocks
    j = tl.arange(0, 16)
    base = blk[:, None] * 32 + 2 * j[None, :]
    lo = tl.load(x_ptr + base, mask=mb[:, None], other=0.0).to(tl.int32, bitcast=True)
    hi = tl.load(x_ptr + base + 1, mask=mb[:, None], other=0.0).to(tl.int32, bitcast=True)
    # magnitudes compare like their bit patterns, NaN and inf included
    top = tl.max(tl.maximum(lo & 0x7FFFFFFF, hi & 0x7FFFFFFF), axis=1)
    e = top >> 23
    bad = e == 255
    byte = tl.maximum(e - 2, 0)
    mul = ((254 - byte) << 23).to(tl.float32, bitcast=True)
    a = (lo & 0x7FFFFFFF).to(tl.float32, bitcast=True) * mul[:, None]
    b = (hi & 0x7FFFFFFF).to(tl.float32, bitcast=True) * mul[:, None]
    ca = ((a > 0.25).to(tl.int32) + (a >= 0.75).to(tl.int32) + (a > 1.25).to(tl.int32) + (a >= 1.75).to(tl.int32)
          + (a > 2.5).to(tl.int32) + (a >= 3.5).to(tl.int32) + (a > 5.0).to(tl.int32))
    cb = ((b > 0.25).to(tl.int32) + (b >= 0.75).to(tl.int32) + (b > 1.25).to(tl.int32) + (b >= 1.75).to(tl.int32)
          + (b > 2.5).to(tl.int32) + (b >= 3.5).to(tl.int32) + (b > 5.0).to(tl.int32))
    ca = ca | ((lo >> 28) & 8)
    cb = cb | ((hi >> 28) & 8)
    out = tl.where(bad[:, None], 0, ca | (cb << 4))
    tl.store(p_ptr + blk[:, None] * 16 + j[None, :], out.to(tl.uint8), mask=mb[:, None])
    tl.store(s_ptr + blk, tl.where(bad, 255, byte).to(tl.uint8), mask=mb)


def custom_kernel(data):
    x = data[0].contiguous()
    R, C = x.shape
    p = torch.empty(R, C // 2, dtype=torch.uint8, device=x.device)
    s = torch.empty(R, C // 32, dtype=torch.uint8, device=x.device)
    nb = R * C // 32
    _quant[(triton.cdiv(nb, 16),)](x, p, s, nb, NB=16)
    return p, s
