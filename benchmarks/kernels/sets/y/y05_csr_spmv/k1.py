import torch
import triton
import triton.language as tl


@triton.jit
def _spmv(indptr, indices, values, x, y, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    start = tl.load(indptr + row)
    end = tl.load(indptr + row + 1)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for k in range(start, end, BLOCK):
        offs = k + tl.arange(0, BLOCK)
        ok = offs < end
        col = tl.load(indices + offs, mask=ok, other=0)
        val = tl.load(values + offs, mask=ok, other=0.0)
        xv = tl.load(x + col, mask=ok, other=0.0)
        acc += val * xv
    tl.store(y + row, tl.sum(acc, axis=0))


def custom_kernel(data):
    indptr, indices, values, x = data
    rows = indptr.numel() - 1
    y = torch.empty(rows, dtype=torch.float32, device=x.device)
    _spmv[(rows,)](indptr, indices, values, x, y, BLOCK=32)
    return y
