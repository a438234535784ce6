import torch
import triton
import triton.language as tl


@triton.jit
def _row_quant(x_ptr, q_ptr, s_ptr, N, BN: tl.constexpr):
    row = tl.program_id(0)
    rn = tl.arange(0, BN)
    high = tl.full((BN,), float("-inf"), dtype=tl.float32)
    for n0 in range(0, N, BN):
        x = tl.load(x_ptr + row * N + n0 + rn, mask=n0 + rn < N, other=float("-inf"))
        high = tl.maximum(high, x)
    amax = tl.abs(tl.max(high, 0))
    scale = tl.where(amax == 0.0, 1.0, amax / 127.0)
    tl.store(s_ptr + row, scale)
    for n0 in range(0, N, BN):
        m = n0 + rn < N
        y = tl.load(x_ptr + row * N + n0 + rn, mask=m, other=0.0) / scale
        y = (y + 12582912.0) - 12582912.0
        y = tl.minimum(tl.maximum(y, -127.0), 127.0)
        tl.store(q_ptr + row * N + n0 + rn, y.to(tl.int8), mask=m)


def custom_kernel(data):
    x = data.contiguous()
    q = torch.empty(x.shape, dtype=torch.int8, device=x.device)
    s = torch.empty((x.shape[0],), dtype=torch.float32, device=x.device)
    _row_quant[(x.shape[0],)](x, q, s, x.shape[1], BN=256)
    return q, s
