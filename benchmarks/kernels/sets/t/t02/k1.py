"""Segmented scan in Triton: a program per row, blocks of 256 with tl.associative_scan and a carried running sum."""
import torch
import triton
import triton.language as tl


@triton.jit
def _combine(fa, va, fb, vb):
    return fa | fb, tl.where(fb != 0, vb, va + vb)


@triton.jit
def _rows(x_ptr, f_ptr, o_ptr, N, sxr, sxc, sfr, sfc, REV: tl.constexpr, EXC: tl.constexpr, B: tl.constexpr):
    r = tl.program_id(0).to(tl.int64)
    lane = tl.arange(0, B)
    carry = tl.zeros([1], tl.int64)
    for s in range(0, N, B):
        j = s + lane                       # scan order
        m = j < N
        i = N - 1 - j if REV else j        # position in the row
        v = tl.load(x_ptr + r * sxr + i * sxc, mask=m, other=0).to(tl.int64)
        if REV:
            f = tl.load(f_ptr + r * sfr + (i + 1) * sfc, mask=m & (i + 1 < N), other=1).to(tl.int32)
        else:
            f = tl.load(f_ptr + r * sfr + i * sfc, mask=m, other=0).to(tl.int32)
        f = tl.where(j == 0, 1, f)
        ff, vv = tl.associative_scan((f, v), 0, _combine)
        vv = tl.where(ff != 0, vv, vv + carry)
        res = vv - v if EXC else vv
        tl.store(o_ptr + r * N + i, res, mask=m)
        carry = tl.sum(tl.where(lane == B - 1, vv, 0), 0)


def custom_kernel(data):
    x, flags, exclusive, reverse = data
    R, N = x.shape
    out = torch.empty(R, N, dtype=torch.int64)
    if out.numel():
        f = flags.to(torch.int8)
        _rows[(R,)](x, f, out, N, x.stride(0), x.stride(1), f.stride(0), f.stride(1),
                    REV=bool(reverse), EXC=bool(exclusive), B=256)
    return out
