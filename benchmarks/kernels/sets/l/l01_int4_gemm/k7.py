import torch
import triton
import triton.language as tl


@triton.jit
def _w4_factored(x_ptr, q_ptr, s_ptr, z_ptr, y_ptr, M, N, K, G,
                 BM: tl.constexpr, BN: tl.constexpr, BH: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    mm = (rm < M)[:, None]
    mn = rn < N
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    half = G // 2
    for g in range(0, K // G):
        dot = tl.zeros((BM, BN), dtype=tl.float32)
        xsum = tl.zeros((BM,), dtype=tl.float32)
        for h0 in range(0, half, BH):
            h = h0 + tl.arange(0, BH)
            mh = h < half
            row = g * half + h
            b = tl.load(q_ptr + row[:, None] * N + rn[None, :], mask=mh[:, None] & mn[None, :], other=0).to(tl.int32)
            xe = tl.load(x_ptr + rm[:, None] * K + (2 * row)[None, :], mask=mm & mh[None, :], other=0.0).to(tl.float32)
            xo = tl.load(x_ptr + rm[:, None] * K + (2 * row + 1)[None, :], mask=mm & mh[None, :], other=0.0).to(tl.float32)
            dot += tl.dot(xe, (b & 15).to(tl.float32), input_precision="ieee")
            dot += tl.dot(xo, (b >> 4).to(tl.float32), input_precision="ieee")
            xsum += tl.sum(xe, 1) + tl.sum(xo, 1)
        s = tl.load(s_ptr + g * N + rn, mask=mn, other=0.0).to(tl.float32)
        z = tl.load(z_ptr + g * N + rn, mask=mn, other=0).to(tl.float32)
        acc += (dot - xsum[:, None] * z[None, :]) * s[None, :]
    tl.store(y_ptr + rm[:, None] * N + rn[None, :], acc.to(tl.float16), mask=mm & mn[None, :])


def custom_kernel(data):
    x, qweight, scales, zeros = [t.contiguous() for t in data]
    M, K = x.shape
    N = qweight.shape[1]
    y = torch.empty((M, N), dtype=torch.float16, device=x.device)
    _w4_factored[(triton.cdiv(M, 16), triton.cdiv(N, 64))](
        x, qweight, scales, zeros, y, M, N, K, K // scales.shape[0], BM=16, BN=64, BH=16)
    return y
