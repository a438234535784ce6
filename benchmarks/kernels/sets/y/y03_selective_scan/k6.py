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
    """Sequential scan with discretisation done for all steps at once."""

    def forward(self, u, delta, B, C, h0):
        dt = torch.log(1.0 + torch.exp(delta + self.dt_bias))
        a = torch.exp(-dt[..., None] * torch.exp(self.A_log))
        b = (dt * u)[..., None] * B[:, :, None, :]
        h, hs = h0, []
        for at, bt in zip(a.unbind(1), b.unbind(1)):
            h = torch.addcmul(bt, at, h)
            hs.append(h)
        y = torch.einsum("lbdn,bln->bld", torch.stack(hs), C) + self.D * u
        return y, h
