import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def conv_row(x, w, b, y, L, LO, C, stride, KS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    c = row % C
    bias = tl.load(b + c)
    for start in range(0, LO, BLOCK):
        t = start + tl.arange(0, BLOCK)
        acc = tl.zeros((BLOCK,), dtype=tl.float32)
        for k in range(KS):
            p = t * stride + k - KS // 2
            xv = tl.load(x + row * L + p, mask=(p >= 0) & (p < L), other=0.0)
            acc += xv * tl.load(w + c * KS + k)
        acc += bias
        out = acc * 0.5 * (1.0 + tl.math.erf(acc * 0.7071067811865476))
        tl.store(y + row * LO + t, out, mask=t < LO)


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
        conv_row[(B * C,)](x, self.weight, self.bias, y, L, LO, C, self.stride, KS=KS, BLOCK=512)
        return y
