import torch
import triton
import triton.language as tl


@triton.jit
def _gemm_w4(x_ptr, q_ptr, s_ptr, z_ptr, y_ptr, M, N, K, G,
             BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    xm = (rm < M)[:, None]
    nm = (rn < N)[None, :]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k0 in range(0, K, BK):
        rk = k0 + tl.arange(0, BK)
        x = tl.load(x_ptr + rm[:, None] * K + rk[None, :], mask=xm, other=0.0).to(tl.float32)
        kq = tl.minimum(rk, K - 1)
        b = tl.load(q_ptr + (kq // 2)[:, None] * N + rn[None, :], mask=nm, other=0).to(tl.int32)
        q = (b >> ((kq % 2) * 4)[:, None]) & 0xF
        s = tl.load(s_ptr + (kq // G)[:, None] * N + rn[None, :], mask=nm, other=0.0).to(tl.float32)
        z = tl.load(z_ptr + (kq // G)[:, None] * N + rn[None, :], mask=nm, other=0).to(tl.int32)
        acc = tl.dot(x, (q - z).to(tl.float32) * s, acc, input_precision="ieee")
    tl.store(y_ptr + rm[:, None] * N + rn[None, :], acc.to(tl.float16), mask=xm & nm)


def custom_kernel(data):
    x, qweight, scales, zeros = [t.contiguous() for t in data]
    M, K = x.shape
    N = qweight.shape[1]
    y = torch.empty((M, N), dtype=torch.float16, device=x.device)
    _gemm_w4[(triton.cdiv(M, 16), triton.cdiv(N, 32))](
        x, qweight, scales, zeros, y, M, N, K, K // scales.shape[0], BM=16, BN=32, BK=64)
    return y
