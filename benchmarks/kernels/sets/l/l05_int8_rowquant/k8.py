import torch
import triton
import triton.language as tl


@triton.jit
def _row_quant(x_ptr, q_ptr, s_ptr, N, sm, sn, BN: tl.constexpr):
    row = tl.program_id(0)
    rn = tl.arange(0, BN)
    best = tl.zeros((BN,), dtype=tl.float32)
    for n0 in range(0, N, BN):
        x = tl.load(x_ptr + row * sm + (n0 + rn) * sn, mask=n0 + rn < N, other=0.0)
        best = tl.maximum(best, tl.abs(x))
    amax = tl.max(best, 0)
    d = tl.zeros((BN,), dtype=tl.float32) + tl.where(amax == 0.0, 127.0, amax)
    scale = tl.div_rn(d, tl.full((BN,), 127.0, tl.float32))
    tl.store(s_ptr + row + rn, scale, mask=rn == 0)
    for n0 in range(0, N, BN):
        m = n0 + rn < N
        x = tl.load(x_ptr + row * sm + (n0 + rn) * sn, mask=m, other=0.0)
        y = tl.div_rn(x, scale)
        y = (y + 12582912.0) - 12582912.0
        y = tl.minimum(tl.maximum(y, -127.0), 127.0)
        tl.store(q_ptr + row * N + n0 + rn, y.to(tl.int8), mask=m)


def custom_kernel(data):
    M, N = data.shape
    q = torch.empty((M, N), dtype=torch.int8, device=data.device)
    s = torch.empty((M,), dtype=torch.float32, device=data.device)
    _row_quant[(M,)](data, q, s, N, data.stride(0), data.stride(1), BN=128)
    return q, s
