import torch
import torch.nn as nn
import torch.nn.functional as F


def _scan(u, delta, a_log, b, c, skip):
    dt = F.softplus(delta)
    a = -torch.exp(a_log)
    cum = torch.cumsum(dt[..., None] * a, 1)
    x = (dt * u)[..., None] * b[:, :, None, :]
    h = torch.exp(cum) * torch.cumsum(x * torch.exp(-cum), 1)
    return (h * c[:, :, None, :]).sum(-1) + u * skip


class ModelNew(nn.Module):
    def __init__(self, channels, state):
        super().__init__()
        self.a_log = nn.Parameter(torch.log(torch.arange(1, state + 1).float()).repeat(channels, 1))
        self.skip = nn.Parameter(torch.ones(channels))

    def forward(self, u, delta, b, c):
        return _scan(u, delta, self.a_log, b, c, self.skip)
