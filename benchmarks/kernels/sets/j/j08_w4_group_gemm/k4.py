import torch
import triton
import triton.language as tl

SPLIT = 4


@triton.jit
def w4_splitk(x_ptr, q_ptr, z_ptr, s_ptr, p_ptr, M, K, N, G, chunk,
              BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    sp = tl.program_id(2)
    mask = (m[:, None] < M) & (n[None, :] < N)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    stop = tl.minimum((sp + 1) * chunk, K)
    for k0 in range(sp * chunk, stop, BK):
        k = k0 + tl.arange(0, BK)
        km = k < stop
        kn = km[:, None] & (n[None, :] < N)
        x = tl.load(x_ptr + m[:, None] * K + k[None, :], mask=(m[:, None] < M) & km[None, :], other=0.0)
        word = tl.load(q_ptr + (k >> 3)[:, None] * N + n[None, :], mask=kn, other=0)
        zword = tl.load(z_ptr + (k // G)[:, None] * (N >> 3) + (n >> 3)[None, :], mask=kn, other=0)
        q = (word >> ((k & 7) << 2)[:, None]) & 0xF
        z = (zword >> ((n & 7) << 2)[None, :]) & 0xF
        s = tl.load(s_ptr + (k // G)[:, None] * N + n[None, :], mask=kn, other=0.0)
        w = q.to(tl.float32) * s - z.to(tl.float32) * s
        acc = tl.dot(x, w, acc, input_precision="ieee")
    tl.store(p_ptr + sp * M * N + m[:, None] * N + n[None, :], acc, mask=mask)


def custom_kernel(data):
    x, qweight, qzeros, scales = [t.contiguous() for t in data[:4]]
    group = data[4]
    M, K = x.shape
    N = qweight.shape[1]
    chunk = triton.cdiv(triton.cdiv(K, SPLIT), 8) * 8
    part = torch.empty(SPLIT, M, N, dtype=torch.float32, device=x.device)
    w4_splitk[(triton.cdiv(M, 16), triton.cdiv(N, 32), SPLIT)](
        x, qweight, qzeros, scales, part, M, K, N, group, chunk, BM=16, BN=32, BK=32)
    return part.sum(0).to(x.dtype)
