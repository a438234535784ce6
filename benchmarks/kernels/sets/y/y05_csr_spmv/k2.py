import torch
import triton
import triton.language as tl


@triton.jit
def _spmv_tile(indptr, indices, values, x, y, rows, longest, BR: tl.constexpr, BK: tl.constexpr):
    """BR rows per program, walked together in steps of BK entries."""
    r = tl.program_id(0) * BR + tl.arange(0, BR)
    live = r < rows
    start = tl.load(indptr + r, mask=live, other=0)
    end = tl.load(indptr + r + 1, mask=live, other=0)
    acc = tl.zeros([BR], dtype=tl.float32)
    for k in range(0, longest, BK):
        offs = start[:, None] + k + tl.arange(0, BK)[None, :]
        ok = offs < end[:, None]
        col = tl.load(indices + offs, mask=ok, other=0)
        val = tl.load(values + offs, mask=ok, other=0.0)
        xv = tl.load(x + col, mask=ok, other=0.0)
        acc += tl.sum(val * xv, axis=1)
    tl.store(y + r, acc, mask=live)


def custom_kernel(data):
    indptr, indices, values, x = data
    rows = indptr.numel() - 1
    longest = int((indptr[1:] - indptr[:-1]).max())
    y = torch.empty(rows, dtype=torch.float32, device=x.device)
    _spmv_tile[(triton.cdiv(rows, 16),)](indptr, indices, values, x, y, rows, longest, BR=16, BK=8)
    return y
