import torch
import triton
import triton.language as tl


@triton.jit
def int4_gemm_tc(x_ptr, q_ptr, z_ptr, s_ptr, o_ptr, M, K, N, G,
            BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    mm = m < M
    nm = n < N
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k0 in range(0, K, BK):
        k = k0 + tl.arange(0, BK)
        km = k < K
        x = tl.load(x_ptr + m[:, None] * K + k[None, :], mask=mm[:, None] & km[None, :], other=0.0)
        kn = km[:, None] & nm[None, :]
        packed = tl.load(q_ptr + (k // 8)[:, None] * N + n[None, :], mask=kn, other=0)
        q = (packed >> ((k % 8) * 4)[:, None]) & 15
        g = k // G
        zp = tl.load(z_ptr + g[:, None] * (N // 8) + (n // 8)[None, :], mask=kn, other=0)
        z = (zp >> ((n % 8) * 4)[None, :]) & 15
        s = tl.load(s_ptr + g[:, None] * N + n[None, :], mask=kn, other=0.0)
        w = (q - z).to(tl.float32) * s
        acc += tl.dot(x.to(tl.float16), w.to(tl.float16))
    tl.store(o_ptr + m[:, None] * N + n[None, :], acc, mask=mm[:, None] & nm[None, :])


def custom_kernel(data):
    x, qweight, qzeros, scales = (t.contiguous() for t in data[:4])
    group = data[4]
    M, K = x.shape
    N = qweight.shape[1]
    out = torch.empty(M, N, dtype=x.dtype, device=x.device)
    int4_gemm_tc[(triton.cdiv(M, 16), triton.cdiv(N, 32))](x, qweight, qzeros, scales, out, M, K, N, group,
                                                      BM=16, BN=32, BK=64)
    return out
