import torch
import triton
import triton.language as tl


@triton.jit
def _gemv_rows(x_ptr, qw_ptr, qz_ptr, s_ptr, gi_ptr, y_ptr, M, N, K,
               BM: tl.constexpr, BN: tl.constexpr, BW: tl.constexpr):
    # walks over packed words; each word contributes eight rows of W
    rn = tl.program_id(0) * BN + tl.arange(0, BN)
    rm = tl.program_id(1) * BM + tl.arange(0, BM)
    mn, mm = rn < N, rm < M
    KW = K // 8
    acc = tl.zeros((BM, BN), tl.float32)
    for w0 in range(0, KW, BW):
        rw = w0 + tl.arange(0, BW)
        mw = rw < KW
        m2 = mw[:, None] & mn[None, :]
        word = tl.load(qw_ptr + rw[:, None] * N + rn[None, :], mask=m2, other=0)
        for i in tl.static_range(8):
            k = rw * 8 + i
            g = tl.load(gi_ptr + k, mask=mw, other=0)
            zw = tl.load(qz_ptr + g[:, None] * (N // 8) + (rn // 8)[None, :], mask=m2, other=0)
            z = ((zw >> ((rn & 7) * 4)[None, :]) & 15) + 1
            s = tl.load(s_ptr + g[:, None] * N + rn[None, :], mask=m2, other=0.0)
            q = (word >> (4 * i)) & 15
            wv = (q - z).to(tl.float32) * s
            x = tl.load(x_ptr + rm[:, None] * K + k[None, :], mask=mm[:, None] & mw[None, :], other=0.0)
            acc += tl.sum(x[:, :, None] * wv[None, :, :], axis=1)
    tl.store(y_ptr + rm[:, None] * N + rn[None, :], acc, mask=mm[:, None] & mn[None, :])


def custom_kernel(data):
    x, qweight, qzeros, scales, g_idx = [t.contiguous() for t in data]
    M, K = x.shape
    N = scales.shape[1]
    y = x.new_empty(M, N)
    _gemv_rows[(triton.cdiv(N, 32), triton.cdiv(M, 8))](x, qweight, qzeros, scales, g_idx, y, M, N, K,
                                                       BM=8, BN=32, BW=8)
    return y
