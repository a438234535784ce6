import math
import torch
import torch.nn as nn
import torch.nn.functional as F

def _axis(n_in, n_out, device):
    """Left index, right index and right weight of every output position along one axis."""
    pos = (torch.arange(n_out, device=device, dtype=torch.float64) + 0.5) * (n_in / n_out) - 0.5
    pos = pos.clamp(0.0, n_in - 1.0)
    i0 = pos.floor().long()
    i1 = (i0 + 1).clamp(max=n_in - 1)
    return i0, i1, (pos - i0).float()


def _matrix(n_in, n_out, device):
    i0, i1, f = _axis(n_in, n_out, device)
    m = torch.zeros(n_out, n_in, device=device)
    rows = torch.arange(n_out, device=device)
    m.index_put_((rows, i0), 1 - f, accumulate=True)
    m.index_put_((rows, i1), f, accumulate=True)
    return m


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.gate = nn.Parameter(torch.zeros(channels))

    def forward(self, x, y):
        a = torch.sigmoid(self.gate).view(1, -1, 1, 1)
        mr = _matrix(x.shape[2], y.shape[2], x.device)
        mc = _matrix(x.shape[3], y.shape[3], x.device)
        up = torch.matmul(torch.matmul(mr, x), mc.t())
        return y * (1 - a) + up * a
