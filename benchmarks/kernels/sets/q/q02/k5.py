import torch
import torch.nn as nn


class _GatedScan(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, a, reset, h0):
        B, T, D = x.shape
        hs = torch.empty_like(x)
        h = h0.expand(B, D).contiguous()
        for t in range(T):
            h = torch.where(reset[:, t, None], h0, h)
            h = h * a[:, t] + x[:, t] * (1 - a[:, t])
            hs[:, t] = h
        ctx.save_for_backward(x, a, reset, h0, hs)
        return hs, hs[:, -1].clone()

    @staticmethod
    def backward(ctx, ghs, glast):
        x, a, reset, h0, hs = ctx.saved_tensors
        B, T, D = x.shape
        prev = torch.cat((h0.expand(B, 1, D), hs[:, :-1]), dim=1)
        prev = torch.where(reset[..., None], h0, prev)
        keep = torch.where(reset[..., None], torch.zeros_like(a), a)
        gh = torch.empty_like(x)
        acc = glast
        for t in reversed(range(T)):
            acc = acc + ghs[:, t]
            gh[:, t] = acc
            acc = acc * keep[:, t]
        return gh * (1 - a), gh * (prev - x), None, acc.sum(0)


class ModelNew(nn.Module):
    """Fused scan; the backward pass stores only the states and recomputes the previous ones."""

    def __init__(self, dim):
        super().__init__()
        self.bias = nn.Parameter(torch.full((dim,), 1.0))
        self.h0 = nn.Parameter(torch.linspace(-0.5, 0.5, dim))

    def forward(self, x, g, reset):
        a = torch.sigmoid(g + self.bias)
        return _GatedScan.apply(x, a, reset, self.h0)
