import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, d_inner, d_state):
        super().__init__()
        a = torch.arange(1, d_state + 1, dtype=torch.float32).repeat(d_inner, 1)
        self.A_log = nn.Parameter(torch.log(a))
        self.D = nn.Parameter(torch.ones(d_inner))
        self.dt_bias = nn.Parameter(torch.zeros(d_inner))
        self._h = None

    @torch.no_grad()
    def forward(self, u, delta, Bm, Cm):
        A = -torch.exp(self.A_log)
        z = delta + self.dt_bias
        dt = z.clamp_min(0) + torch.log1p(torch.exp(-z.abs()))
        shape = (u.shape[0], u.shape[2], A.shape[1])
        if self._h is None or self._h.shape != shape:
            self._h = torch.zeros(shape, dtype=u.dtype)
        h = self._h
        y = torch.empty(u.shape, dtype=u.dtype)
        for t in range(u.shape[1]):
            h.mul_(torch.exp(dt[:, t, :, None] * A)).add_((dt[:, t] * u[:, t])[:, :, None] * Bm[:, t, None])
            y[:, t] = (h * Cm[:, t, None]).sum(-1)
        return y + self.D * u
