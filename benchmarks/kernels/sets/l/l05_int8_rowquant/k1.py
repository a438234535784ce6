import torch
import triton
import triton.language as tl


@triton.jit
def _quant(x_ptr, q_ptr, s_ptr, M, N, sx, BM: tl.constexpr, BN: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.arange(0, BN)
    mask = (rm < M)[:, None] & (rn < N)[None, :]
    x = tl.load(x_ptr + rm[:, None] * sx + rn[None, :], mask=mask, other=0.0)
    amax = tl.max(tl.abs(x), 1)
    scale = tl.where(amax == 0.0, 1.0, tl.div_rn(amax, tl.full((BM,), 127.0, tl.float32)))
    y = tl.div_rn(x, tl.broadcast_to(scale[:, None], (BM, BN)))
    q = tl.floor(y + 0.5)
    q = tl.minimum(tl.maximum(q, -127.0), 127.0)
    tl.store(q_ptr + rm[:, None] * N + rn[None, :], q.to(tl.int8), mask=mask)
    tl.store(s_ptr + rm, scale, mask=rm < M)


def custom_kernel(data):
    x = data.contiguous()
    M, N = x.shape
    q = torch.empty((M, N), dtype=torch.int8, device=x.device)
    s = torch.empty((M,), dtype=torch.float32, device=x.device)
    _quant[(triton.cdiv(M, 8),)](x, q, s, M, N, x.stride(0), BM=8, BN=triton.next_power_of_2(N))
    return q, s
