import math
import torch
import torch.nn as nn
import torch.nn.functional as F

CHUNK = 16


def _run(h, a, x, C):
    ys = []
    for t in range(a.shape[1]):
        h = a[:, t] * h + x[:, t]
        ys.append((h * C[:, t].unsqueeze(1)).sum(-1))
    return h, torch.stack(ys, 1)


class ModelNew(nn.Module):
    def __init__(self, d, n):
        super().__init__()
        self.A_log = nn.Parameter(torch.log(torch.arange(1, n + 1, dtype=torch.float32)).repeat(d, 1))
        self.D = nn.Parameter(torch.ones(d))
        self.dt_bias = nn.Parameter(torch.full((d,), -2.0))

    def forward(self, u, delta, Bm, Cm, h0):
        B, L, d = u.shape
        A = -torch.exp(self.A_log)
        dt = F.softplus(delta + self.dt_bias)
        # whole chunks only; the sequence is padded up and cut again at the end
        pad = (-L) % CHUNK
        full = L - L % CHUNK
        a = torch.exp(dt.unsqueeze(-1) * A)
        x = (dt * u).unsqueeze(-1) * Bm.unsqueeze(2)
        outs, h = [], h0
        for s in range(0, full, CHUNK):
            h, y = _run(h, a[:, s:s + CHUNK], x[:, s:s + CHUNK], Cm[:, s:s + CHUNK])
            outs.append(y)
        if pad:
            ap = F.pad(a[:, full:], (0, 0, 0, 0, 0, pad))
            xp = F.pad(x[:, full:], (0, 0, 0, 0, 0, pad))
            Cp = F.pad(Cm[:, full:], (0, 0, 0, pad))
            _, y = _run(h0, ap, xp, Cp)
            outs.append(y[:, :L - full])
        return torch.cat(outs, 1) + self.D * u
