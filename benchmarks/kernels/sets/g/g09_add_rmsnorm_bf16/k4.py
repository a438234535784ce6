import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def rms(x, res, w, y, M, N, nprog, eps, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    for first in range(tl.program_id(0) * ROWS, M, nprog * ROWS):
        r = (first + tl.arange(0, ROWS)).to(tl.int64)
        acc = tl.zeros((ROWS,), dtype=tl.float32)
        for s in range(0, N, BLOCK):
            c = s + tl.arange(0, BLOCK)
            ok = (r[:, None] < M) & (c[None, :] < N)
            p = r[:, None] * N + c[None, :]
            h = tl.load(x + p, mask=ok, other=0.0).to(tl.float32) + tl.load(res + p, mask=ok, other=0.0).to(tl.float32)
            acc += tl.sum(h * h, axis=1)
        inv = tl.rsqrt(acc / N + eps)
        for s in range(0, N, BLOCK):
            c = s + tl.arange(0, BLOCK)
            ok = (r[:, None] < M) & (c[None, :] < N)
            p = r[:, None] * N + c[None, :]
            h = tl.load(x + p, mask=ok, other=0.0).to(tl.float32) + tl.load(res + p, mask=ok, other=0.0).to(tl.float32)
            wv = tl.load(w + c, mask=c < N, other=0.0).to(tl.float32)
            tl.store(y + p, (h * inv[:, None] * wv[None, :]).to(tl.bfloat16), mask=ok)


class ModelNew(nn.Module):
    def __init__(self, dim, eps):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter((1.0 + 0.2 * torch.randn(dim)).to(torch.bfloat16))

    def forward(self, x, residual):
        x = x.contiguous()
        residual = residual.contiguous()
        N = x.shape[-1]
        M = x.numel() // N
        y = torch.empty_like(x)
        P = min(96, triton.cdiv(M, 4))
        rms[(P,)](x, residual, self.weight, y, M, N, P, self.eps, ROWS=4, BLOCK=512)
        return y
