import torch
import torch.nn as nn
import torch.nn.functional as F


class _Base(nn.Module):
    def __init__(self, d_inner, d_state):
        super().__init__()
        self.A_log = nn.Parameter(torch.log(torch.arange(1, d_state + 1, dtype=torch.float32)).repeat(d_inner, 1))
        self.D = nn.Parameter(torch.ones(d_inner))
        dt = torch.exp(torch.empty(d_inner).uniform_(-6.9, -2.3))
        self.dt_bias = nn.Parameter(dt + torch.log(-torch.expm1(-dt)))


class _Scan(torch.autograd.Function):
    """h_t = a_t h_{t-1} + b_t; the backward pass is the same recurrence run from the end."""

    @staticmethod
    def forward(ctx, a, b, h0):
        hs = torch.empty_like(b)
        h = h0
        for t in range(a.shape[1]):
            h = a[:, t] * h + b[:, t]
            hs[:, t] = h
        ctx.save_for_backward(a, hs, h0)
        return hs

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, dhs):
        a, hs, h0 = ctx.saved_tensors
        db = torch.empty_like(dhs)
        g = torch.zeros_like(h0)
        for t in range(a.shape[1] - 1, -1, -1):
            g = g + dhs[:, t]
            db[:, t] = g
            g = g * a[:, t]
        prev = torch.cat([h0[:, None], hs[:, :-1]], 1)
        return db * prev, db, g


class ModelNew(_Base):
    def forward(self, u, delta, B, C, h0):
        x = delta + self.dt_bias
        dt = torch.logaddexp(x, torch.zeros((), dtype=x.dtype, device=x.device))
        a = torch.exp(-dt[..., None] * torch.exp(self.A_log))
        b = (dt * u)[..., None] * B[:, :, None, :]
        hs = _Scan.apply(a, b, h0)
        return (hs @ C[..., None])[..., 0] + self.D * u, hs[:, -1]
