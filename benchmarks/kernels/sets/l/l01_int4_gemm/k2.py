import torch
import triton
import triton.language as tl


@triton.jit
def _w4a16(x_ptr, q_ptr, s_ptr, z_ptr, y_ptr, M, N, K, G,
           sxm, sxk, sqk, sqn, ssk, ssn, szk, szn,
           BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pm = tl.program_id(0)
    pn = tl.program_id(1)
    rm = pm * BM + tl.arange(0, BM)
    rn = pn * BN + tl.arange(0, BN)
    mm = rm < M
    mn = rn < N
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k0 in range(0, K, BK):
        rk = k0 + tl.arange(0, BK)
        mk = rk < K
        x = tl.load(x_ptr + rm[:, None] * sxm + rk[None, :] * sxk, mask=mm[:, None] & mk[None, :], other=0.0)
        m2 = mk[:, None] & mn[None, :]
        b = tl.load(q_ptr + (rk // 2)[:, None] * sqk + rn[None, :] * sqn, mask=m2, other=0).to(tl.int32)
        q = (b >> ((rk & 1) << 2)[:, None]) & 0xF
        s = tl.load(s_ptr + (rk // G)[:, None] * ssk + rn[None, :] * ssn, mask=m2, other=0.0).to(tl.float32)
        z = tl.load(z_ptr + (rk // G)[:, None] * szk + rn[None, :] * szn, mask=m2, other=0).to(tl.int32)
        w = (q - z).to(tl.float32) * s
        acc += tl.dot(x.to(tl.float32), w, input_precision="ieee")
    tl.store(y_ptr + rm[:, None] * N + rn[None, :], acc.to(tl.float16), mask=mm[:, None] & mn[None, :])


def custom_kernel(data):
    x, qw, sc, ze = data
    M, K = x.shape
    N = qw.shape[1]
    G = K // sc.shape[0]
    y = torch.empty((M, N), dtype=torch.float16, device=x.device)
    grid = (triton.cdiv(M, 16), triton.cdiv(N, 32))
    _w4a16[grid](x, qw, sc, ze, y, M, N, K, G, *x.stride(), *qw.stride(), *sc.stride(), *ze.stride(),
                 BM=16, BN=32, BK=64)
    return y
