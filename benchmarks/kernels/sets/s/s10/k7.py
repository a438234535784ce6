import math
import torch
import torch.nn as nn


class _Yukawa(torch.autograd.Function):
    @staticmethod
    def _pairs(pos, box, kappa, rc):
        N = pos.shape[0]
        d = pos[:, None] - pos[None]
        d = d - box * torch.round(d / box)
        r2 = d.square().sum(-1)
        near = r2 < rc * rc
        near.fill_diagonal_(False)
        r = torch.where(near, r2, 1.0).sqrt()
        return d, near, r, torch.exp(-kappa * r) / r

    @staticmethod
    def forward(ctx, pos, charge, box, kappa, rc):
        _, near, _, y = _Yukawa._pairs(pos, box, kappa, rc)
        v = (y - math.exp(-kappa * rc) / rc) * near
        ctx.save_for_backward(pos, charge, box)
        ctx.cfg = (kappa, rc)
        return 0.5 * charge * (v @ charge)

    @staticmethod
    def backward(ctx, g):
        pos, charge, box = ctx.saved_tensors
        kappa, rc = ctx.cfg
        d, near, r, y = _Yukawa._pairs(pos, box, kappa, rc)
        v = (y - math.exp(-kappa * rc) / rc) * near
        pair = 0.5 * (g[:, None] + g[None, :])
        gq = (pair * v) @ charge
        f = -pair * near * y * (kappa * r + 1.0) / (r * r) * charge[:, None] * charge[None, :]
        gp = (f.unsqueeze(-1) * d).sum(1)
        return gp, gq, None, None, None


class ModelNew(nn.Module):
    """Recomputes the pair table in backward instead of storing it."""

    def __init__(self, kappa, cutoff):
        super().__init__()
        self.kappa = kappa
        self.cutoff = cutoff

    def forward(self, pos, charge, box):
        return _Yukawa.apply(pos, charge, box, self.kappa, self.cutoff)
