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


class _Resize(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, H, W):
        h, w = x.shape[-2:]
        ctx.size = (h, w)
        r0, r1, fr = _axis(h, H, x.device)
        c0, c1, fc = _axis(w, W, x.device)
        fr = fr.view(-1, 1)
        ctx.save_for_backward(r0, r1, fr, c0, c1, fc)
        rows = x[:, :, r0] * (1 - fr) + x[:, :, r1] * fr
        return rows[..., c0] * (1 - fc) + rows[..., c1] * fc

    @staticmethod
    def backward(ctx, g):
        r0, r1, fr, c0, c1, fc = ctx.saved_tensors
        h, w = ctx.size
        B, C = g.shape[:2]
        gx = torch.zeros(B, C, h, w, dtype=g.dtype, device=g.device)
        for r, wr in ((r0, 1 - fr), (r1, fr)):
            for c, wc in ((c0, 1 - fc), (c1, fc)):
                gx[:, :, r.view(-1, 1), c.view(1, -1)] += g * wr * wc
        return gx, None, None


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.gate = nn.Parameter(torch.zeros(channels))

    def forward(self, x, y):
        up = _Resize.apply(x, y.shape[2], y.shape[3])
        a = torch.sigmoid(self.gate).view(1, -1, 1, 1)
        return a * up + (1 - a) * y
