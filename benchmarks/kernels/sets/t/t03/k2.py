"""Triton tiled GEMM; nibbles are unpacked on the fly and every channel looks up its own group."""
import torch
import triton
import triton.language as tl


@triton.jit
def _gemm(x_ptr, q_ptr, s_ptr, z_ptr, b_ptr, y_ptr, M, N, K, GROUP, NG, sxm, sxk,
          HAS_Z: tl.constexpr, HAS_B: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    mm = m < M
    nm = n < N
    acc = tl.zeros([BM, BN], tl.float32)
    for k0 in range(0, K, BK):
        k = k0 + tl.arange(0, BK)
        km = k < K
        x = tl.load(x_ptr + m[:, None] * sxm + k[None, :] * sxk, mask=mm[:, None] & km[None, :], other=0.0)
        wm = km[:, None] & nm[None, :]
        byte = tl.load(q_ptr + n[None, :] * (K // 2) + (k // 2)[:, None], mask=wm, other=0).to(tl.int32)
        q = (byte >> ((k % 2) * 4)[:, None]) & 15
        gi = n[None, :] * NG + (k // GROUP)[:, None]
        s = tl.load(s_ptr + gi, mask=wm, other=0.0)
        if HAS_Z:
            q = q - tl.load(z_ptr + gi, mask=wm, other=0).to(tl.int32)
        else:
            q = tl.where(q > 7, q - 16, q)
        acc += tl.dot(x, q.to(tl.float32) * s, input_precision="ieee")
    if HAS_B:
        acc += tl.load(b_ptr + n, mask=nm, other=0.0)[None, :]
    tl.store(y_ptr + m[:, None] * N + n[None, :], acc, mask=mm[:, None] & nm[None, :])


def custom_kernel(data):
    x, qw, scales, zeros, bias = data
    M, K = x.shape
    N, NG = scales.shape
    y = torch.empty(M, N)
    grid = (triton.cdiv(M, 16), triton.cdiv(N, 32))
    _gemm[grid](x, qw, scales, qw if zeros is None else zeros, scales if bias is None else bias, y, M, N, K, K // NG,
                NG, x.stride(0), x.stride(1), HAS_Z=zeros is not None, HAS_B=bias is not None, BM=16, BN=32, BK=64)
    return y
