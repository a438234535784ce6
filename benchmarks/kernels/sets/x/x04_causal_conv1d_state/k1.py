import torch
import triton
import triton.language as tl


@triton.jit
def _conv(x, w, b, st, y, D, L, sxb, sxd, sxl, K: tl.constexpr, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    blk = tl.program_id(1)
    bi = pid // D
    di = pid % D
    t = blk * BLOCK + tl.arange(0, BLOCK)
    m = t < L
    acc = tl.zeros((BLOCK,), dtype=tl.float32) + tl.load(b + di)
    for j in tl.static_range(K):
        src = t + j - (K - 1)
        xv = tl.load(x + bi * sxb + di * sxd + src * sxl, mask=m & (src >= 0), other=0.0)
        sv = tl.load(st + (bi * D + di) * (K - 1) + src + (K - 1), mask=m & (src < 0), other=0.0)
        acc += tl.load(w + di * K + j) * (xv + sv)
    e = tl.exp(-tl.abs(acc))
    sig = tl.where(acc >= 0, 1.0 / (1.0 + e), e / (1.0 + e))
    tl.store(y + (bi * D + di) * L + t, acc * sig, mask=m)


def custom_kernel(data):
    x, w, b, st = data
    B, D, L = x.shape
    K = w.shape[1]
    y = torch.empty((B, D, L), dtype=torch.float32)
    BLOCK = 32
    _conv[(B * D, triton.cdiv(L, BLOCK))](x, w, b, st, y, D, L, x.stride(0), x.stride(1), x.stride(2), K=K, BLOCK=BLOCK)
    if L >= K - 1:
        new = x[:, :, L - (K - 1):].clone(memory_format=torch.contiguous_format)
    else:
        new = torch.cat([st[:, :, L:], x], dim=2)
    return y, new
