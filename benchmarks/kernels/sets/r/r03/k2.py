import torch
import triton
import triton.language as tl


@triton.jit
def _w4_gemm(x_ptr, qw_ptr, qz_ptr, s_ptr, y_ptr, M, N, K, GS, sxm, sxk,
             BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    mm = m < M
    nm = n < N
    acc = tl.zeros([BM, BN], dtype=tl.float32)
    for k0 in range(0, K, BK):
        k = k0 + tl.arange(0, BK)
        km = k < K
        x = tl.load(x_ptr + m[:, None] * sxm + k[None, :] * sxk, mask=mm[:, None] & km[None, :], other=0.0)
        wm = km[:, None] & nm[None, :]
        word = tl.load(qw_ptr + (k[:, None] // 8) * N + n[None, :], mask=wm, other=0)
        q = (word >> ((k[:, None] % 8) * 4)) & 0xF
        g = k // GS
        zword = tl.load(qz_ptr + g[:, None] * (N // 8) + n[None, :] // 8, mask=wm, other=0)
        z = (zword >> ((n[None, :] % 8) * 4)) & 0xF
        s = tl.load(s_ptr + g[:, None] * N + n[None, :], mask=wm, other=0.0)
        w = (q - z).to(tl.float32) * s
        acc += tl.dot(x, w, input_precision="ieee")
    tl.store(y_ptr + m[:, None] * N + n[None, :], acc, mask=mm[:, None] & nm[None, :])


def custom_kernel(data):
    """Dequantise in registers, accumulate in float32 with IEEE dot products."""
    x, qw, qz, sc, gs = data
    qw, qz, sc = qw.contiguous(), qz.contiguous(), sc.contiguous()
    M, K = x.shape
    N = qw.shape[1]
    y = torch.empty(M, N, dtype=torch.float32, device=x.device)
    BM, BN, BK = 16, 32, 32
    _w4_gemm[(triton.cdiv(M, BM), triton.cdiv(N, BN))](x, qw, qz, sc, y, M, N, K, gs, x.stride(0), x.stride(1),
                                                       BM=BM, BN=BN, BK=BK)
    return y
