import torch
import torch.nn as nn
import torch.nn.functional as F


def _scan(u, delta, a_log, b, c, skip):
    dt = F.softplus(delta)
    decay = torch.exp(torch.einsum("bld,dn->bldn", dt, -torch.exp(a_log)))
    h = torch.einsum("bld,bln->bldn", dt * u, b)
    step = 1
    while step < u.shape[1]:
        h = torch.cat((h[:, :step], h[:, step:] + decay[:, step:] * h[:, :-step]), 1)
        decay = torch.cat((decay[:, :step], decay[:, step:] * decay[:, :-step]), 1)
        step *= 2
    return torch.einsum("bldn,bln->bld", h, c) + u * skip


class ModelNew(nn.Module):
    def __init__(self, channels, state):
        super().__init__()
        self.a_log = nn.Parameter(torch.log(torch.arange(1, state + 1).float()).repeat(channels, 1))
        self.skip = nn.Parameter(torch.ones(channels))

    def forward(self, u, delta, b, c):
        return _scan(u, delta, self.a_log, b, c, self.skip)
