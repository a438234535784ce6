import torch
import torch.nn as nn
import torch.nn.functional as F


def _conv(x, w):
    return F.conv1d(F.pad(x, (w.shape[1] - 1, 0)), w.flip(1).unsqueeze(1), groups=w.shape[0])


class _CausalConv(torch.autograd.Function):
    """Convolution whose backward reuses the forward kernel for the input gradient."""

    @staticmethod
    def forward(ctx, u, w, s):
        ctx.save_for_backward(u, w, s)
        return _conv(u, w) + s[:, None] * u

    @staticmethod
    def backward(ctx, g):
        u, w, s = ctx.saved_tensors
        gu = _conv(g, w) + s[:, None] * g
        L, K = u.shape[-1], w.shape[1]
        up = F.pad(u, (K - 1, 0)).unfold(-1, K, 1)
        gw = torch.einsum("bcl,bclk->ck", g, up).flip(1)
        return gu, gw, torch.einsum("bcl,bcl->c", g, u)


class ModelNew(nn.Module):
    def __init__(self, channels: int, filter_len: int):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(channels, filter_len) / filter_len ** 0.5)
        self.skip = nn.Parameter(torch.randn(channels))

    def forward(self, u):
        return _CausalConv.apply(u, self.weight, self.skip)
