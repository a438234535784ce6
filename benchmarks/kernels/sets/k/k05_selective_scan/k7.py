import torch
import torch.nn as nn
import torch.nn.functional as F

CHUNK = 16


class ModelNew(nn.Module):
    """Sequence padded to whole chunks; a log-depth scan in each and a carried state."""

    def __init__(self, d_inner, d_state):
        super().__init__()
        self.A_log = nn.Parameter(torch.log(torch.arange(1, d_state + 1).float()).repeat(d_inner, 1))
        self.D = nn.Parameter(torch.ones(d_inner))
        self.dt_bias = nn.Parameter(torch.linspace(-5.0, -2.5, d_inner))

    def forward(self, u, dt, B, C, z):
        L = u.shape[1]
        extra = -L % CHUNK
        up, dtp = F.pad(u, (0, 0, 0, extra)), F.pad(dt, (0, 0, 0, extra))
        Bp, Cp = F.pad(B, (0, 0, 0, extra)), F.pad(C, (0, 0, 0, extra))
        delta = F.softplus(dtp + self.dt_bias)
        decay = torch.exp(delta.unsqueeze(-1) * -torch.exp(self.A_log))
        drive = (delta * up).unsqueeze(-1) * Bp.unsqueeze(2)
        h = torch.zeros_like(drive[:, 0])
        outs = []
        for lo in range(0, L + extra, CHUNK):
            a, b = decay[:, lo:lo + CHUNK], drive[:, lo:lo + CHUNK]
            step = 1
            while step < CHUNK:
                b = torch.cat([b[:, :step], b[:, step:] + a[:, step:] * b[:, :-step]], 1)
                a = torch.cat([a[:, :step], a[:, step:] * a[:, :-step]], 1)
                step *= 2
            states = b + a * h.unsqueeze(1)
            outs.append(torch.einsum("bldn,bln->bld", states, Cp[:, lo:lo + CHUNK]))
            h = states[:, -1]
        y = torch.cat(outs, 1)[:, :L] + self.D * u
        return y * F.silu(z), h
