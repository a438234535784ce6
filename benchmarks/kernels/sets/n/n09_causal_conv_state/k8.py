import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _conv(x_ptr, s_ptr, w_ptr, b_ptr, pre_ptr, D, L, W: tl.constexpr, BL: tl.constexpr):
    bd = tl.program_id(0)
    t = tl.program_id(1) * BL + tl.arange(0, BL)
    m = t < L
    ch = bd % D
    acc = tl.zeros((BL,), tl.float32) + tl.load(b_ptr + ch)
    for k in tl.static_range(W):
        p = t + k - (W - 1)
        v = tl.load(x_ptr + bd * L + p, mask=m & (p >= 0), other=0.0)
        v += tl.load(s_ptr + bd * (W - 1) + p + (W - 1), mask=m & (p < 0), other=0.0)
        acc += tl.load(w_ptr + ch * W + k) * v
    tl.store(pre_ptr + bd * L + t, acc, mask=m)


class _CausalConv(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, state, w, b):
        x, state = x.contiguous(), state.contiguous()
        B, D, L = x.shape
        W = w.shape[1]
        pre = torch.empty_like(x)
        _conv[(B * D, triton.cdiv(L, 32))](x, state, w.contiguous(), b, pre, D, L, W=W, BL=32)
        ctx.save_for_backward(x, state, w)
        return pre

    @staticmethod
    def backward(ctx, g):
        x, state, w = ctx.saved_tensors
        L, W = x.shape[-1], w.shape[1]
        dx = torch.zeros_like(x)
        full = torch.cat([state, x], -1)
        dw = torch.empty_like(w)
        for k in range(W):
            lag = W - 1 - k
            if lag < L:
                dx[..., :L - lag] += g[..., lag:] * w[:, k, None]
            dw[:, k] = torch.einsum("bdl,bdl->d", g, full[..., k:k + L])
        # the state is a cache, not a differentiable input
        return dx, None, dw, g.sum((0, 2))


class ModelNew(nn.Module):
    def __init__(self, dim, width, activation=True):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(dim, width) * width ** -0.5)
        self.bias = nn.Parameter(torch.zeros(dim))
        self.activation = activation

    def forward(self, x, state):
        y = _CausalConv.apply(x, state, self.weight, self.bias)
        if self.activation:
            y = y * torch.sigmoid(y)
        n = state.shape[-1]
        new = torch.cat([state, x[..., max(0, x.shape[-1] - n):]], -1)
        return y, new[..., new.shape[-1] - n:]
