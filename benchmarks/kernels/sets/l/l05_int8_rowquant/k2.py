import torch
import triton
import triton.language as tl


@triton.jit
def _amax_quant(x_ptr, q_ptr, s_ptr, M, N, sm, sn, BM: tl.constexpr, BN: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    mm = rm < M
    amax = tl.zeros((BM,), dtype=tl.float32)
    for n0 in range(0, N, BN):
        rn = n0 + tl.arange(0, BN)
        x = tl.load(x_ptr + rm[:, None] * sm + rn[None, :] * sn, mask=mm[:, None] & (rn < N)[None, :], other=0.0)
        amax = tl.maximum(amax, tl.max(tl.abs(x), 1))
    scale = tl.where(amax == 0.0, 1.0, tl.div_rn(amax, tl.full((BM,), 127.0, tl.float32)))
    tl.store(s_ptr + rm, scale, mask=mm)
    for n0 in range(0, N, BN):
        rn = n0 + tl.arange(0, BN)
        mask = mm[:, None] & (rn < N)[None, :]
        x = tl.load(x_ptr + rm[:, None] * sm + rn[None, :] * sn, mask=mask, other=0.0)
        y = tl.div_rn(x, tl.broadcast_to(scale[:, None], (BM, BN)))
        f = tl.floor(y)
        d = y - f
        odd = f - 2.0 * tl.floor(f * 0.5)
        up = (d > 0.5) | ((d == 0.5) & (odd == 1.0))
        r = tl.where(up, f + 1.0, f)
        r = tl.minimum(tl.maximum(r, -127.0), 127.0)
        tl.store(q_ptr + rm[:, None] * N + rn[None, :], r.to(tl.int8), mask=mask)


def custom_kernel(data):
    x = data
    M, N = x.shape
    q = torch.empty((M, N), dtype=torch.int8, device=x.device)
    s = torch.empty((M,), dtype=torch.float32, device=x.device)
    _amax_quant[(triton.cdiv(M, 16),)](x, q, s, M, N, x.stride(0), x.stride(1), BM=16, BN=64)
    return q, s
