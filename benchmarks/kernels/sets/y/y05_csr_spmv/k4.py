import torch
import triton
import triton.language as tl

_scratch = {}


@triton.jit
def _partial(indptr, indices, values, x, part, SPLITS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    s = tl.program_id(1)
    start = tl.load(indptr + row)
    end = tl.load(indptr + row + 1)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for k in range(start + s * BLOCK, end, SPLITS * BLOCK):
        offs = k + tl.arange(0, BLOCK)
        ok = offs < end
        col = tl.load(indices + offs, mask=ok, other=0)
        val = tl.load(values + offs, mask=ok, other=0.0)
        acc += val * tl.load(x + col, mask=ok, other=0.0)
    tl.store(part + row * SPLITS + s, tl.sum(acc, axis=0))


@triton.jit
def _merge(part, y, rows, SPLITS: tl.constexpr, BR: tl.constexpr):
    r = tl.program_id(0) * BR + tl.arange(0, BR)
    p = tl.load(part + r[:, None] * SPLITS + tl.arange(0, SPLITS)[None, :], mask=(r < rows)[:, None], other=0.0)
    tl.store(y + r, tl.sum(p, axis=1), mask=r < rows)


def custom_kernel(data):
    indptr, indices, values, x = data
    rows = indptr.numel() - 1
    # workspace kept between calls; _partial writes every element of the part in use
    if x.device not in _scratch or _scratch[x.device].numel() < 2 * rows:
        _scratch[x.device] = torch.empty(2 * rows, dtype=torch.float32, device=x.device)
    part = _scratch[x.device]
    y = torch.empty(rows, dtype=torch.float32, device=x.device)
    _partial[(rows, 2)](indptr, indices, values, x, part, SPLITS=2, BLOCK=16)
    _merge[(triton.cdiv(rows, 64),)](part, y, rows, SPLITS=2, BR=64)
    return y
