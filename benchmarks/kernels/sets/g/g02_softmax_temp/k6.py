import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def softmax3(x, y, N, inv_t, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x += row * N
    y += row * N
    mx = tl.full((BLOCK,), float("-inf"), tl.float32)
    for s in range(0, N, BLOCK):
        o = s + tl.arange(0, BLOCK)
        mx = tl.maximum(mx, tl.load(x + o, mask=o < N, other=float("-inf")) * inv_t)
    m = tl.max(mx, axis=0)
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for s in range(0, N, BLOCK):
        o = s + tl.arange(0, BLOCK)
        acc += tl.exp(tl.load(x + o, mask=o < N, other=float("-inf")) * inv_t - m)
    d = tl.sum(acc, axis=0)
    for s in range(0, N, BLOCK):
        o = s + tl.arange(0, BLOCK)
        v = tl.load(x + o, mask=o < N, other=float("-inf"))
        tl.store(y + o, tl.exp(v * inv_t - m) / d, mask=o < N)


class ModelNew(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature

    def forward(self, x):
        x = x.contiguous()
        N = x.shape[-1]
        y = torch.empty_like(x)
        softmax3[(x.numel() // N,)](x, y, N, 1.0 / self.temperature, BLOCK=256)
        return y
