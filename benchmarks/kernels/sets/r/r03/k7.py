import torch
import triton
import triton.language as tl


@triton.jit
def _w4_tile(x_ptr, qw_ptr, qz_ptr, s_ptr, y_ptr, M, N, K, GS, sxm, sxk,
             BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    mm = m < M
    nm = n < N
    acc = tl.zeros([BM, BN], dtype=tl.float32)
    for k0 in range(0, K, BK):
        k = k0 + tl.arange(0, BK)
        km = k < K
        # scale and zero point are loaded once for the tile
        g = k0 // GS
        s = tl.load(s_ptr + g * N + n, mask=nm, other=0.0)
        zw = tl.load(qz_ptr + g * (N // 8) + n // 8, mask=nm, other=0)
        z = (zw >> ((n % 8) * 4)) & 0xF
        x = tl.load(x_ptr + m[:, None] * sxm + k[None, :] * sxk, mask=mm[:, None] & km[None, :], other=0.0)
        word = tl.load(qw_ptr + (k[:, None] // 8) * N + n[None, :], mask=km[:, None] & nm[None, :], other=0)
        q = (word >> ((k[:, None] % 8) * 4)) & 0xF
        w = (q - z[None, :]).to(tl.float32) * s[None, :]
        acc += tl.dot(x, w, input_precision="ieee")
    tl.store(y_ptr + m[:, None] * N + n[None, :], acc, mask=mm[:, None] & nm[None, :])


def custom_kernel(data):
    """Tiled W4 GEMM with one (scale, zero) fetch for each K tile."""
    x, qw, qz, sc, gs = data
    qw, qz, sc = qw.contiguous(), qz.contiguous(), sc.contiguous()
    M, K = x.shape
    N = qw.shape[1]
    y = torch.empty(M, N, dtype=torch.float32, device=x.device)
    _w4_tile[(triton.cdiv(M, 16), triton.cdiv(N, 16))](x, qw, qz, sc, y, M, N, K, gs, x.stride(0), x.stride(1),
                                                       BM=16, BN=16, BK=32)
    return y
