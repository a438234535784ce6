import numpy as np
import torch
import torch.nn as nn


class _Q(torch.autograd.Function):
    LEVELS = np.array([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0])
    # odd codes are listed last so that argmin prefers an even code at equal distance
    ORDER = np.array([0, 2, 4, 6, 1, 3, 5, 7])

    @staticmethod
    def forward(ctx, x):
        D = x.shape[-1]
        xn = x.detach().cpu().double().numpy().reshape(-1, D)
        nb = -(-D // 32)
        y = np.empty_like(xn)
        keep = np.empty(xn.shape, bool)
        e = np.empty((xn.shape[0], nb), np.int32)
        cand = _Q.LEVELS[_Q.ORDER]
        for b in range(nb):
            blk = xn[:, b * 32:(b + 1) * 32]
            amax = np.abs(blk).max(1)
            ex = np.where(amax > 0, np.frexp(amax)[1] - 3, -127)
            a = np.ldexp(np.abs(blk), -ex[:, None])
            best = np.abs(np.minimum(a, 6.0)[..., None] - cand).argmin(-1)
            y[:, b * 32:(b + 1) * 32] = np.sign(blk) * np.ldexp(cand[best], ex[:, None])
            keep[:, b * 32:(b + 1) * 32] = a <= 6.0
            e[:, b] = ex
        ctx.keep = torch.from_numpy(keep.reshape(x.shape)).to(x.device)
        return (torch.from_numpy(y.reshape(x.shape)).to(x),
                torch.from_numpy(e.reshape(*x.shape[:-1], nb)).to(x.device))

    @staticmethod
    def backward(ctx, gy, _):
        return gy * ctx.keep


class ModelNew(nn.Module):
    """NumPy version: distance to every level, nearest taken, block by block."""

    def __init__(self):
        super().__init__()

    def forward(self, x):
        return _Q.apply(x)
