import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def conv_kernel(x, w, y, L, LO, C, n, stride, pad, KS: tl.constexpr, BLOCK: tl.constexpr):
    offs = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    m = offs < n
    t = offs % LO
    row = offs // LO
    c = row % C
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for k in range(KS):
        p = t * stride - pad + k
        xv = tl.load(x + row * L + p, mask=m & (p >= 0) & (p < L), other=0.0)
        acc += xv * tl.load(w + c * KS + k, mask=m, other=0.0)
    tl.store(y + offs, 0.5 * acc * (1.0 + tl.math.erf(acc * 0.7071067811865476)), mask=m)


class ModelNew(nn.Module):
    def __init__(self, channels, kernel_size, stride, padding):
        super().__init__()
        self.stride = stride
        self.padding = padding
        self.weight = nn.Parameter(torch.randn(channels, 1, kernel_size) / kernel_size ** 0.5)
        self.bias = nn.Parameter(torch.zeros(channels))

    def forward(self, x):
        x = x.contiguous()
        B, C, L = x.shape
        KS = self.weight.shape[2]
        LO = (L + 2 * self.padding - KS) // self.stride + 1
        y = torch.empty((B, C, LO), device=x.device, dtype=x.dtype)
        n = y.numel()
        conv_kernel[(triton.cdiv(n, 512),)](x, self.weight, y, L, LO, C, n, self.stride, self.padding, KS=KS, BLOCK=512)
        return y
