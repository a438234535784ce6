import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def softmax_k(x, y, N, inv_t, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    o = tl.arange(0, BLOCK)
    v = tl.load(x + row * N + o, mask=o < N, other=0.0) * inv_t
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(y + row * N + o, e / tl.sum(e, axis=0), mask=o < N)


class ModelNew(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature

    def forward(self, x):
        x = x.contiguous()
        N = x.shape[-1]
        y = torch.empty_like(x)
        softmax_k[(x.numel() // N,)](x, y, N, 1.0 / self.temperature, BLOCK=triton.next_power_of_2(N))
        return y
