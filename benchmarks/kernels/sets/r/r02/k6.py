import torch
import triton
import triton.language as tl


@triton.jit
def _seg_tile(v_ptr, p_ptr, o_ptr, C, R: tl.constexpr, BC: tl.constexpr):
    """The whole segment lives in one register tile, so each value is read exactly once."""
    i = tl.program_id(0)
    c = tl.program_id(1) * BC + tl.arange(0, BC)
    cm = c < C
    lo = tl.load(p_ptr + i)
    hi = tl.load(p_ptr + i + 1)
    row = lo + tl.arange(0, R)
    m = (row < hi)[:, None] & cm[None, :]
    x = tl.load(v_ptr + row[:, None] * C + c[None, :], mask=m, other=0.0)
    n = (hi - lo).to(tl.float32)
    nz = tl.maximum(n, 1.0)
    mean = tl.sum(x, axis=0) / nz
    d = tl.where(m, x - mean[None, :], 0.0)
    var = tl.sum(d * d, axis=0) / nz
    mx = tl.max(tl.where(m, x, -float("inf")), axis=0)
    mx = tl.where(n > 0, mx, 0.0)
    base = o_ptr + i * 3 * C + c
    tl.store(base, mean, mask=cm)
    tl.store(base + C, var, mask=cm)
    tl.store(base + 2 * C, mx, mask=cm)


def custom_kernel(data):
    values, indptr = data
    values, indptr = values.contiguous(), indptr.contiguous()
    n, C = indptr.numel() - 1, values.shape[1]
    out = torch.empty(n, 3, C, dtype=values.dtype)
    avg = max(1, values.shape[0] // max(n, 1))
    R = max(64, triton.next_power_of_2(2 * avg))
    _seg_tile[(n, triton.cdiv(C, 8))](values, indptr, out, C, R=R, BC=8)
    return out
