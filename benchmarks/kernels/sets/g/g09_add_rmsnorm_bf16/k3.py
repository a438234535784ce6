import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def rms(x, res, w, y, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    acc = tl.zeros((1,), dtype=tl.bfloat16)
    for s in range(0, N, BLOCK):
        o = s + tl.arange(0, BLOCK)
        h = tl.load(x + row * N + o, mask=o < N, other=0.0).to(tl.float32)
        h += tl.load(res + row * N + o, mask=o < N, other=0.0).to(tl.float32)
        acc = (acc.to(tl.float32) + tl.sum(h * h, axis=0)).to(tl.bfloat16)
    r = tl.rsqrt(acc.to(tl.float32) / N + eps)
    for s in range(0, N, BLOCK):
        o = s + tl.arange(0, BLOCK)
        h = tl.load(x + row * N + o, mask=o < N, other=0.0).to(tl.float32)
        h += tl.load(res + row * N + o, mask=o < N, other=0.0).to(tl.float32)
        wv = tl.load(w + o, mask=o < N, other=0.0).to(tl.float32)
        tl.store(y + row * N + o, (h * r * wv).to(tl.bfloat16), mask=o < N)


class ModelNew(nn.Module):
    def __init__(self, dim, eps):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter((1.0 + 0.2 * torch.randn(dim)).to(torch.bfloat16))

    def forward(self, x, residual):
        x = x.contiguous()
        residual = residual.contiguous()
        N = x.shape[-1]
        y = torch.empty_like(x)
        rms[(x.numel() // N,)](x, residual, self.weight, y, N, self.eps, BLOCK=16)
        return y
