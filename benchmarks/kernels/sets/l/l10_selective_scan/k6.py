import torch
import torch.nn as nn
import torch.nn.functional as F


def _scan(u, delta, a_log, b, c, skip, chunk=16):
    dt = F.softplus(delta)
    a = -torch.exp(a_log)
    outs = []
    for t0 in range(0, u.shape[1], chunk):
        s = slice(t0, t0 + chunk)
        x = (dt[:, s] * u[:, s])[..., None] * b[:, s, None, :]
        cum = torch.cumsum(dt[:, s, :, None] * a, 1)
        n = x.shape[1]
        gap = cum[:, :, None] - cum[:, None]
        keep = torch.ones(n, n, dtype=torch.bool, device=u.device).tril()[None, :, :, None, None]
        w = torch.where(keep, gap, float("-inf")).exp()
        h = (w * x[:, None]).sum(2)
        outs.append((h * c[:, s, None, :]).sum(-1))
    return torch.cat(outs, 1) + u * skip


class ModelNew(nn.Module):
    def __init__(self, channels, state):
        super().__init__()
        self.a_log = nn.Parameter(torch.log(torch.arange(1, state + 1).float()).repeat(channels, 1))
        self.skip = nn.Parameter(torch.ones(channels))

    def forward(self, u, delta, b, c):
        return _scan(u, delta, self.a_log, b, c, self.skip)
