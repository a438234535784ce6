import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def softmax_online(x, y, N, temp, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    m = float("-inf")
    d = 0.0
    for s in range(0, N, BLOCK):
        o = s + tl.arange(0, BLOCK)
        v = tl.load(x + row * N + o, mask=o < N, other=float("-inf")) / temp
        mn = tl.maximum(m, tl.max(v, axis=0))
        ms = tl.where(mn == float("-inf"), 0.0, mn)
        d = d * tl.exp(m - ms) + tl.sum(tl.exp(v - ms), axis=0)
        m = mn
    for s in range(0, N, BLOCK):
        o = s + tl.arange(0, BLOCK)
        v = tl.load(x + row * N + o, mask=o < N, other=float("-inf")) / temp
        tl.store(y + row * N + o, tl.exp(v - m) / d, mask=o < N)


class ModelNew(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature

    def forward(self, x):
        x = x.contiguous()
        N = x.shape[-1]
        y = torch.empty_like(x)
        softmax_online[(x.numel() // N,)](x, y, N, float(self.temperature), BLOCK=512)
        return y
