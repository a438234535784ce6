import torch
import triton
import triton.language as tl


@triton.jit
def _mm(a_ptr, b_ptr, as_ptr, bs_ptr, o_ptr, M, N, K, KG,
        sam, sak, sbn, sbk, som, son,
        GROUP: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    pm = tl.program_id(0)
    pn = tl.program_id(1)
    rm = pm * BM + tl.arange(0, BM)
    rn = pn * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for g in range(0, tl.cdiv(K, GROUP)):
        rk = g * GROUP + tl.arange(0, GROUP)
        a = tl.load(a_ptr + rm[:, None] * sam + rk[None, :] * sak,
                    mask=(rm[:, None] < M) & (rk[None, :] < K), other=0.0).to(tl.float32)
        b = tl.load(b_ptr + rn[None, :] * sbn + rk[:, None] * sbk,
                    mask=(rn[None, :] < N) & (rk[:, None] < K), other=0.0).to(tl.float32)
        sa = tl.load(as_ptr + rm * KG + g, mask=rm < M, other=0.0)
        sb = tl.load(bs_ptr + (rn // GROUP) * KG + g, mask=rn < N, other=0.0)
        acc += tl.dot(a, b) * sa[:, None] * sb[None, :]
    o = o_ptr + rm[:, None] * som + rn[None, :] * son
    tl.store(o, acc.to(o_ptr.dtype.element_ty), mask=(rm[:, None] < M) & (rn[None, :] < N))


def custom_kernel(data):
    a, b, a_scale, b_scale, group, out_dtype = data
    M, K = a.shape
    N = b.shape[0]
    out = torch.empty((M, N), dtype=out_dtype, device=a.device)
    BM, BN = 16, 32
    grid = (triton.cdiv(M, BM), triton.cdiv(N, BN))
    _mm[grid](a, b, a_scale, b_scale, out, M, N, K, a_scale.shape[1],
              a.stride(0), a.stride(1), b.stride(0), b.stride(1), out.stride(0), out.stride(1),
              GROUP=group, BM=BM, BN=BN)
    return out
