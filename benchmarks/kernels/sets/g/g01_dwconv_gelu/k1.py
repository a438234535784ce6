import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def conv_kernel(x, w, b, y, L, LO, C, n, stride, pad, sb, sc, sl, KS: tl.constexpr, BLOCK: tl.constexpr):
    offs = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    m = offs < n
    t = offs % LO
    c = (offs // LO) % C
    bi = offs // LO // C
    acc = tl.load(b + c, mask=m, other=0.0)
    for k in range(KS):
        p = t * stride - pad + k
        ok = m & (p >= 0) & (p < L)
        xv = tl.load(x + bi * sb + c * sc + p * sl, mask=ok, other=0.0)
        wv = tl.load(w + c * KS + k, mask=m, other=0.0)
        acc += xv * wv
    out = 0.5 * acc * (1.0 + tl.math.erf(acc * 0.7071067811865476))
    tl.store(y + offs, out, mask=m)


class ModelNew(nn.Module):
    def __init__(self, channels, kernel_size, stride, padding):
        super().__init__()
        self.stride = stride
        self.padding = padding
        self.weight = nn.Parameter(torch.randn(channels, 1, kernel_size) / kernel_size ** 0.5)
        self.bias = nn.Parameter(torch.zeros(channels))

    def forward(self, x):
        B, C, L = x.shape
        KS = self.weight.shape[2]
        LO = (L + 2 * self.padding - KS) // self.stride + 1
        y = torch.empty((B, C, LO), device=x.device, dtype=x.dtype)
        n = y.numel()
        conv_kernel[(triton.cdiv(n, 1024),)](x, self.weight, self.bias, y, L, LO, C, n, self.stride, self.padding,
                                             x.stride(0), x.stride(1), x.stride(2), KS=KS, BLOCK=1024)
        return y
