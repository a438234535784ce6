import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Diagonal selective state space layer."""

    def __init__(self, channels, state):
        super().__init__()
        self.a_log = nn.Parameter(torch.log(torch.arange(1, state + 1).float()).repeat(channels, 1))
        self.skip = nn.Parameter(torch.ones(channels))

    def forward(self, u, delta, b, c):
        dt = F.softplus(delta)
        a = -torch.exp(self.a_log)
        h = torch.zeros(u.shape[0], u.shape[2], a.shape[1], dtype=u.dtype, device=u.device)
        ys = []
        for t in range(u.shape[1]):
            decay = torch.exp(dt[:, t, :, None] * a)
            h = decay * h + (dt[:, t] * u[:, t])[..., None] * b[:, t, None, :]
            ys.append((h * c[:, t, None, :]).sum(-1))
        return torch.stack(ys, 1) + u * self.skip


def get_inputs():
    return [torch.randn(2, 12, 4), torch.randn(2, 12, 4) - 3.0, torch.randn(2, 12, 2), torch.randn(2, 12, 2)]


def get_init_inputs():
    return [4, 2]
