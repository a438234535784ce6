import torch
import triton
import triton.language as tl


@triton.jit
def _w4_rows(x_ptr, qw_ptr, qz_ptr, s_ptr, y_ptr, N, K, GS, BN: tl.constexpr):
    m = tl.program_id(0)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    nm = n < N
    i = tl.arange(0, 8)
    acc = tl.zeros([BN], dtype=tl.float32)
    for r in range(0, K // 8):
        g = (r * 8) // GS
        xs = tl.load(x_ptr + m * K + r * 8 + i)
        word = tl.load(qw_ptr + r * N + n, mask=nm, other=0)
        zw = tl.load(qz_ptr + g * (N // 8) + n // 8, mask=nm, other=0)
        z = (zw >> ((n % 8) * 4)) & 0xF
        s = tl.load(s_ptr + g * N + n, mask=nm, other=0.0)
        q = (word[None, :] >> (i[:, None] * 4)) & 0xF
        w = (q - z[None, :]).to(tl.float32) * s[None, :]
        acc += tl.sum(w * xs[:, None], axis=0)
    tl.store(y_ptr + m * N + n, acc, mask=nm)


def custom_kernel(data):
    """GEMV-style kernel: one packed row (eight k values) per step."""
    x, qw, qz, sc, gs = data
    M, K = x.shape
    N = qw.shape[1]
    y = torch.empty(M, N, dtype=torch.float32, device=x.device)
    _w4_rows[(M, triton.cdiv(N, 32))](x, qw, qz, sc, y, N, K, gs, BN=32)
    return y
