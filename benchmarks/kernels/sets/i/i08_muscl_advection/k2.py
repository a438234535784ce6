import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Velocity split into its positive and negative part: no branch, one halo copy per step."""

    def __init__(self, ratio, n_steps):
        super().__init__()
        self.ratio, self.n_steps = ratio, n_steps

    @torch.no_grad()
    def forward(self, u, vel):
        c = vel * self.ratio
        cp, cm = c.clamp(min=0), c.clamp(max=0)
        kp, km = 0.5 * cp * (1 - cp), 0.5 * cm * (1 + cm)
        u = u.clone()
        for _ in range(self.n_steps):
            w = torch.cat((u[:, -1:], u, u[:, :2]), 1)
            d = w.diff(dim=1)                       # N + 2 differences
            a, b = d[:, :-1], d[:, 1:]
            s = torch.minimum(a, b).clamp_min(0) + torch.maximum(a, b).clamp_max(0)
            f = cp * w[:, 1:-2] + kp * s[:, :-1] + cm * w[:, 2:-1] - km * s[:, 1:]
            u = u - f + torch.cat((f[:, -1:], f[:, :-1]), 1)
        return u
