import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, dim, state):
        super().__init__()
        self.A_log = nn.Parameter(torch.log(torch.arange(1, state + 1).float()).repeat(dim, 1))
        self.D = nn.Parameter(torch.ones(dim) + 0.1 * torch.randn(dim))

    def forward(self, u, delta, Bm, Cm):
        dt = F.softplus(delta)
        a = torch.exp(dt.unsqueeze(-1) * -torch.exp(self.A_log))
        x = (dt * u).unsqueeze(-1) * Bm.unsqueeze(2)
        L = u.shape[1]
        h0 = torch.zeros_like(x[:, :1])
        x = torch.cat([a[:, :1] * h0 + x[:, :1], x[:, 1:]], dim=1)
        step = 1
        while step < L:
            x = torch.cat([x[:, :step], a[:, step:] * x[:, :-step] + x[:, step:]], dim=1)
            a = torch.cat([a[:, :step], a[:, step:] * a[:, :-step]], dim=1)
            step *= 2
        return (x * Cm.unsqueeze(2)).sum(-1) + u * self.D
