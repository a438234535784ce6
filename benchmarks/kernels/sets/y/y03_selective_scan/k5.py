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
    """Closed form of the recurrence by two prefix sums: h_t = e^{S_t} (h0 + sum_s e^{-S_s} b_s)."""

    CHUNK = 16

    def forward(self, u, delta, B, C, h0):
        A = -torch.exp(self.A_log)
        dt = F.softplus(delta + self.dt_bias)
        h, ys = h0, []
        for c0 in range(0, u.shape[1], self.CHUNK):
            sl = slice(c0, c0 + self.CHUNK)
            S = (dt[:, sl, :, None] * A).cumsum(1)
            b = (dt[:, sl] * u[:, sl])[..., None] * B[:, sl, None, :]
            hs = torch.exp(S) * (h[:, None] + (torch.exp(-S) * b).cumsum(1))
            ys.append((hs * C[:, sl, None, :]).sum(-1) + self.D * u[:, sl])
            h = hs[:, -1]
        return torch.cat(ys, 1), h
