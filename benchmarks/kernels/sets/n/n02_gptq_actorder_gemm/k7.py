import torch
import triton
import triton.language as tl


@triton.jit
def _gemm(x_ptr, qw_ptr, qz_ptr, s_ptr, gi_ptr, y_ptr, M, N, K,
          BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    mm, mn = rm < M, rn < N
    acc = tl.zeros((BM, BN), tl.float32)
    for kt in range(K // BK):
        rk = kt * BK + tl.arange(0, BK)
        x = tl.load(x_ptr + rm[:, None] * K + rk[None, :], mask=mm[:, None], other=0.0)
        word = tl.load(qw_ptr + (rk // 8)[:, None] * N + rn[None, :], mask=mn[None, :], other=0)
        q = (word >> ((rk % 8) * 4)[:, None]) & 0xF
        g = tl.load(gi_ptr + rk)
        zw = tl.load(qz_ptr + g[:, None] * (N // 8) + (rn // 8)[None, :], mask=mn[None, :], other=0)
        z = ((zw >> ((rn % 8) * 4)[None, :]) & 0xF) + 1
        s = tl.load(s_ptr + g[:, None] * N + rn[None, :], mask=mn[None, :], other=0.0)
        acc += tl.dot(x, (q - z).to(tl.float32) * s, input_precision="ieee")
    tl.store(y_ptr + rm[:, None] * N + rn[None, :], acc, mask=mm[:, None] & mn[None, :])


def custom_kernel(data):
    x, qweight, qzeros, scales, g_idx = [t.contiguous() for t in data]
    M, K = x.shape
    N = scales.shape[1]
    y = torch.empty(M, N, device=x.device, dtype=torch.float32)
    _gemm[(triton.cdiv(M, 16), triton.cdiv(N, 32))](x, qweight, qzeros, scales, g_idx, y, M, N, K,
                                                    BM=16, BN=32, BK=64)
    return y
