import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _fwd(full_ptr, w_ptr, b_ptr, y_ptr, D, L, LF, W, ACT: tl.constexpr, BD: tl.constexpr, BL: tl.constexpr):
    n = tl.program_id(0)
    d = tl.program_id(1) * BD + tl.arange(0, BD)
    t = tl.program_id(2) * BL + tl.arange(0, BL)
    md = d < D
    m = md[:, None] & (t < L)[None, :]
    acc = tl.zeros((BD, BL), tl.float32)
    for k in range(W):
        w = tl.load(w_ptr + d * W + k, mask=md, other=0.0)
        acc += w[:, None] * tl.load(full_ptr + (n * D + d)[:, None] * LF + (t + k)[None, :], mask=m, other=0.0)
    acc += tl.load(b_ptr + d, mask=md, other=0.0)[:, None]
    if ACT:
        acc = acc * tl.sigmoid(acc)
    tl.store(y_ptr + (n * D + d)[:, None] * L + t[None, :], acc, mask=m)


class _Op(torch.autograd.Function):
    @staticmethod
    def forward(ctx, full, w, b, act):
        full, w = full.contiguous(), w.contiguous()
        B, D, LF = full.shape
        W = w.shape[1]
        L = LF - W + 1
        y = full.new_empty(B, D, L)
        _fwd[(B, triton.cdiv(D, 8), triton.cdiv(L, 64))](full, w, b, y, D, L, LF, W, ACT=act, BD=8, BL=64)
        ctx.save_for_backward(full, w, b)
        ctx.act = act
        return y

    @staticmethod
    def backward(ctx, g):
        full, w, b = ctx.saved_tensors
        W = w.shape[1]
        win = full.unfold(2, W, 1)
        if ctx.act:
            pre = (win * w[:, None]).sum(-1) + b[:, None]
            s = torch.sigmoid(pre)
            g = g * (s + pre * s * (1 - s))
        gw = torch.einsum("bdl,bdlw->dw", g, win)
        gp = torch.nn.functional.pad(g, (W - 1, W - 1))
        gfull = torch.einsum("bdtw,dw->bdt", gp.unfold(2, W, 1), w.flip(1))
        return gfull, gw, g.sum(2).sum(0), None


class ModelNew(nn.Module):
    """History and input are joined once; the kernel then has no special case at the left edge."""

    def __init__(self, dim, width, activation=True):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(dim, width) * width ** -0.5)
        self.bias = nn.Parameter(torch.zeros(dim))
        self.activation = activation

    def forward(self, x, state):
        full = torch.cat([state, x], -1)
        return _Op.apply(full, self.weight, self.bias, self.activation), full[..., x.shape[-1]:]
