import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, dim, state):
        super().__init__()
        self.A_log = nn.Parameter(torch.log(torch.arange(1, state + 1).float()).repeat(dim, 1))
        self.D = nn.Parameter(torch.ones(dim) + 0.1 * torch.randn(dim))
        self._h = None

    def forward(self, u, delta, Bm, Cm):
        dt = F.softplus(delta)
        A = -torch.exp(self.A_log)
        b, L, d = u.shape
        if self._h is None or self._h.shape[0] != b:
            self._h = u.new_zeros(b, d, A.shape[1])
        h = self._h
        a = torch.exp(dt.unsqueeze(-1) * A)
        x = (dt * u).unsqueeze(-1) * Bm.unsqueeze(2)
        ys = []
        for t in range(L):
            h = a[:, t] * h + x[:, t]
            ys.append(torch.einsum("bdn,bn->bd", h, Cm[:, t]))
        self._h = h.detach()
        return torch.stack(ys, dim=1) + u * self.D
