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
    """Inference kernel: the state is kept in place, one fused update per step."""

    @torch.no_grad()
    def forward(self, u, delta, B, C, h0):
        A = -torch.exp(self.A_log)
        dt = F.softplus(delta + self.dt_bias)
        y = torch.empty_like(u)
        h = h0
        for t in range(u.shape[1]):
            h.mul_(torch.exp(dt[:, t, :, None] * A))
            h.addcmul_((dt[:, t] * u[:, t])[:, :, None], B[:, t, None, :])
            torch.sum(h * C[:, t, None, :], -1, out=y[:, t])
            y[:, t].addcmul_(self.D, u[:, t])
        return y, h
