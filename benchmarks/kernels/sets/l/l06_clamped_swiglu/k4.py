import torch
import torch.nn as nn


class _Unit(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, wg, bg, wu, bu, limit):
        ctx.save_for_backward(x, wg, bg, wu, bu)
        ctx.limit = limit
        out = x.new_empty(*x.shape[:-1], wg.shape[0])
        for n0 in range(0, wg.shape[0], 20):
            s = slice(n0, n0 + 20)
            g = (x @ wg[s].t() + bg[s]).clamp(max=limit)
            u = (x @ wu[s].t() + bu[s]).clamp(-limit, limit)
            out[..., s] = (u + 1) * g / (1 + torch.exp(-1.702 * g))
        return out

    @staticmethod
    def backward(ctx, dy):
        x, wg, bg, wu, bu = ctx.saved_tensors
        lim = ctx.limit
        x2 = x.reshape(-1, x.shape[-1])
        dy = dy.reshape(-1, dy.shape[-1])
        g0, u0 = x2 @ wg.t() + bg, x2 @ wu.t() + bu
        g, u = g0.clamp(max=lim), u0.clamp(-lim, lim)
        s = torch.sigmoid(1.702 * g)
        dg = torch.where(g0 <= lim, dy * (u + 1) * s * (1 + 1.702 * g * (1 - s)), 0.0)
        du = torch.where(u0.abs() <= lim, dy * g * s, 0.0)
        return (dg @ wg + du @ wu).view_as(x), dg.t() @ x2, dg.sum(0), du.t() @ x2, du.sum(0), None


class ModelNew(nn.Module):
    def __init__(self, in_features, hidden, limit):
        super().__init__()
        self.gate = nn.Linear(in_features, hidden)
        self.up = nn.Linear(in_features, hidden)
        self.limit = limit

    def forward(self, x):
        return _Unit.apply(x, self.gate.weight, self.gate.bias, self.up.weight, self.up.bias, self.limit)
