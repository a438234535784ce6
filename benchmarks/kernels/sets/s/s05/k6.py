import numpy as np
import torch
import torch.nn as nn


class _Pool(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, score, offsets):
        off = offsets.cpu().numpy().astype(np.int64)
        lo, hi = off[0], off[-1]
        xn = x.detach().cpu().numpy().astype(np.float64)[lo:hi]
        sn = score.detach().cpu().numpy().astype(np.float64)[lo:hi]
        owner = np.repeat(np.arange(len(off) - 1), np.diff(off))
        starts = np.minimum(off[:-1] - lo, max(len(sn) - 1, 0))
        top = np.maximum.reduceat(sn, starts, axis=0)
        top[np.isneginf(top)] = 0.0
        e = np.exp(sn - top[owner])
        den = np.add.reduceat(e, starts, axis=0)
        den[den == 0] = 1.0
        w = e / den[owner]
        out = np.add.reduceat(w[:, :, None] * xn[:, None, :], starts, axis=0)
        ctx.saved = (w, xn, out, owner, lo, hi)
        ctx.save_for_backward(x, score)
        return torch.from_numpy(out).to(x)

    @staticmethod
    def backward(ctx, g):
        x, score = ctx.saved_tensors
        w, xn, out, owner, lo, hi = ctx.saved
        gn = g.detach().cpu().numpy().astype(np.float64)
        gx, gs = torch.zeros_like(x), torch.zeros_like(score)
        gx[lo:hi] = torch.from_numpy(np.einsum("nh,nhd->nd", w, gn[owner])).to(x)
        dot = np.einsum("nhd,nd->nh", gn[owner], xn) - (gn * out).sum(-1)[owner]
        gs[lo:hi] = torch.from_numpy(w * dot).to(score)
        return gx, gs, None


class ModelNew(nn.Module):
    """NumPy reduceat over the segment starts, in double precision."""

    def __init__(self):
        super().__init__()

    def forward(self, x, score, offsets):
        return _Pool.apply(x, score, offsets)
