import torch
import torch.nn as nn
import torch.nn.functional as F


def _scan(u, delta, a_log, b, c, skip):
    B, L, D = u.shape
    dt = F.softplus(delta)
    decay = torch.exp(dt.unsqueeze(-1) * -torch.exp(a_log))
    x = (dt * u).unsqueeze(-1) * b.unsqueeze(2)
    h = torch.zeros_like(x[:, 0])
    ys = []
    for d, i, k in zip(decay.unbind(1), x.unbind(1), c.unbind(1)):
        h = torch.addcmul(i, d, h)
        ys.append(torch.bmm(h, k.unsqueeze(-1)))
    y = torch.stack(ys, 1).squeeze()
    return y + u * skip if y.shape == u.shape else y + (u * skip).squeeze()


class ModelNew(nn.Module):
    def __init__(self, channels, state):
        super().__init__()
        self.a_log = nn.Parameter(torch.log(torch.arange(1, state + 1).float()).repeat(channels, 1))
        self.skip = nn.Parameter(torch.ones(channels))

    def forward(self, u, delta, b, c):
        return _scan(u, delta, self.a_log, b, c, self.skip)
