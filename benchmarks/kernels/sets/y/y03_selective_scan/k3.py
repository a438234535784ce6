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


LOG2E = 1.4426950408889634


class ModelNew(_Base):
    """Everything that does not depend on the state up front; time-major; base-2 decay; two timesteps per turn."""

    def forward(self, u, delta, B, C, h0):
        L = u.shape[1]
        dt = F.softplus(delta + self.dt_bias).transpose(0, 1)
        a = torch.exp2(dt[..., None] * (-LOG2E * torch.exp(self.A_log)))
        b = torch.einsum("lbd,bln->lbdn", dt * u.transpose(0, 1), B)
        h, hs = h0, []
        t = 0
        while t + 1 < L:
            h1 = torch.addcmul(b[t], a[t], h)
            # second step written from h, so the two do not wait for one another
            h = torch.addcmul(torch.addcmul(b[t + 1], a[t + 1], b[t]), a[t + 1] * a[t], h)
            hs += [h1, h]
            t += 2
        if t < L:
            h = torch.addcmul(b[t], a[t], h)
            hs.append(h)
        y = torch.einsum("lbdn,bln->bld", torch.stack(hs), C)
        return torch.addcmul(y, self.D, u), h
