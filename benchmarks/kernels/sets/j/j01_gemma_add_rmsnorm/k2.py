import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def fused_add_norm(X, R, W, Y, S, stride, N, eps, BLOCK_N: tl.constexpr):
    pid = tl.program_id(0)
    X += pid * stride
    R += pid * stride
    Y += pid * stride
    S += pid * stride
    acc = tl.zeros([BLOCK_N], dtype=tl.float32)
    for start in range(0, N, BLOCK_N):
        c = start + tl.arange(0, BLOCK_N)
        m = c < N
        v = tl.load(X + c, mask=m, other=0.) + tl.load(R + c, mask=m, other=0.)
        tl.store(S + c, v, mask=m)
        v = v.to(tl.float32)
        acc += v * v
    inv = 1.0 / tl.sqrt(tl.sum(acc, 0) / N + eps)
    for start in range(0, N, BLOCK_N):
        c = start + tl.arange(0, BLOCK_N)
        m = c < N
        v = tl.load(S + c, mask=m, other=0.).to(tl.float32) * inv
        w = tl.load(W + c, mask=m, other=0.).to(tl.float32)
        tl.store(Y + c, v + v * w, mask=m)


class ModelNew(nn.Module):
    def __init__(self, hidden_size, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(hidden_size))
        self.eps = eps

    @torch.no_grad()
    def forward(self, x, residual):
        shape = x.shape
        x2 = x.reshape(-1, shape[-1]).contiguous()
        r2 = residual.reshape(-1, shape[-1]).contiguous()
        M, N = x2.shape
        y = torch.empty_like(x2)
        s = torch.empty_like(x2)
        fused_add_norm[(M,)](x2, r2, self.weight, y, s, N, N, self.eps, BLOCK_N=128)
        return y.view(shape), s.view(shape)
