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


class ModelNew(_Base):
    """Hillis-Steele scan over the pairs (a, b) of h -> a*h + b: log2(L) steps."""

    def forward(self, u, delta, B, C, h0):
        L = u.shape[1]
        A = -torch.exp(self.A_log)
        x = delta + self.dt_bias
        dt = torch.logaddexp(x, torch.zeros_like(x))
        a = torch.exp(dt[..., None] * A)
        b = (dt * u)[..., None] * B[:, :, None, :]
        b = torch.cat([b[:, :1] + a[:, :1] * h0[:, None], b[:, 1:]], 1)
        s = 1
        while s < L:
            b = torch.cat([b[:, :s], b[:, s:] + a[:, s:] * b[:, :-s]], 1)
            a = torch.cat([a[:, :s], a[:, s:] * a[:, :-s]], 1)
            s *= 2
        y = torch.einsum("bldn,bln->bld", b, C) + u * self.D
        return y, b[:, -1]
