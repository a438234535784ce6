import torch
import torch.nn as nn


class _Scan(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, g, reset, bias, h0):
        B, T, D = x.shape
        a = torch.sigmoid(g.double() + bias.double())
        xd = x.double()
        h0d = h0.double()
        prevs = torch.empty(B, T, D, dtype=torch.float64, device=x.device)
        hs = torch.empty_like(prevs)
        h = h0d.expand(B, D)
        for t in range(T):
            p = torch.where(reset[:, t, None], h0d, h)
            prevs[:, t] = p
            h = torch.lerp(xd[:, t], p, a[:, t])
            hs[:, t] = h
        ctx.save_for_backward(a, prevs, xd, reset)
        ctx.dt = x.dtype
        return hs.to(x.dtype), hs[:, -1].to(x.dtype)

    @staticmethod
    def backward(ctx, gy, gl):
        a, prevs, xd, reset = ctx.saved_tensors
        B, T, D = a.shape
        gy = gy.double()
        carry = gl.double().clone()
        gx = torch.empty_like(a)
        gz = torch.empty_like(a)
        gh0 = torch.zeros(D, dtype=torch.float64, device=a.device)
        for t in range(T - 1, -1, -1):
            gh = carry + gy[:, t]
            at = a[:, t]
            gx[:, t] = gh * (1 - at)
            gz[:, t] = gh * (prevs[:, t] - xd[:, t]) * at * (1 - at)
            gp = gh * at
            r = reset[:, t, None]
            gh0 += (gp * r).sum(0)
            carry = gp.masked_fill(r, 0.0)
        gh0 += carry.sum(0)
        return gx.to(ctx.dt), gz.to(ctx.dt), None, gz.sum((0, 1)).to(ctx.dt), gh0.to(ctx.dt)


class ModelNew(nn.Module):
    """Sequential scan in double precision with a hand-written reverse scan."""

    def __init__(self, dim):
        super().__init__()
        self.bias = nn.Parameter(torch.full((dim,), 1.0))
        self.h0 = nn.Parameter(torch.linspace(-0.5, 0.5, dim))

    def forward(self, x, g, reset):
        return _Scan.apply(x, g, reset, self.bias, self.h0)
