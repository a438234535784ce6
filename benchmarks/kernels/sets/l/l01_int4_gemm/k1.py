import torch
import triton
import triton.language as tl


@triton.jit
def _w4_kernel(x_ptr, q_ptr, s_ptr, z_ptr, y_ptr, M, N, K,
               BM: tl.constexpr, BN: tl.constexpr, GROUP: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    mm = rm < M
    mn = rn < N
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for g in range(0, tl.cdiv(K, GROUP)):
        rk = g * GROUP + tl.arange(0, GROUP)
        mk = rk < K
        x = tl.load(x_ptr + rm[:, None] * K + rk[None, :], mask=mm[:, None] & mk[None, :], other=0.0)
        b = tl.load(q_ptr + (rk // 2)[:, None] * N + rn[None, :], mask=mk[:, None] & mn[None, :], other=0)
        q = (b.to(tl.int32) >> ((rk % 2) * 4)[:, None]) & 0xF
        s = tl.load(s_ptr + g * N + rn, mask=mn, other=0.0).to(tl.float32)
        z = tl.load(z_ptr + g * N + rn, mask=mn, other=0).to(tl.float32)
        w = (q.to(tl.float32) - z[None, :]) * s[None, :]
        acc += tl.dot(x.to(tl.float32), w, input_precision="ieee")
    tl.store(y_ptr + rm[:, None] * N + rn[None, :], acc.to(tl.float16), mask=mm[:, None] & mn[None, :])


def custom_kernel(data):
    x, qweight, scales, zeros = [t.contiguous() for t in data]
    M, K = x.shape
    N = qweight.shape[1]
    y = torch.empty((M, N), dtype=torch.float16, device=x.device)
    BM, BN = 16, 32
    _w4_kernel[(triton.cdiv(M, BM), triton.cdiv(N, BN))](x, qweight, scales, zeros, y, M, N, K, BM=BM, BN=BN, GROUP=32)
    return y
