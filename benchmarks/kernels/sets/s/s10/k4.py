import math
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Works in units of the box edge, where the minimum image is d - round(d)."""

    def __init__(self, kappa, cutoff):
        super().__init__()
        self.kappa = kappa
        self.cutoff = cutoff

    def forward(self, pos, charge, box):
        L = box[0]
        s = pos / L
        d = s[:, None] - s[None]
        d = (d - torch.round(d.detach())) * L
        N = pos.shape[0]
        r2 = d.square().sum(-1) + torch.eye(N, device=pos.device) * (4 * self.cutoff ** 2)
        near = r2 < self.cutoff ** 2
        r = torch.sqrt(r2)
        v = (torch.exp(-self.kappa * r) / r - math.exp(-self.kappa * self.cutoff) / self.cutoff) * near
        return 0.5 * charge * (v * charge).sum(1)
