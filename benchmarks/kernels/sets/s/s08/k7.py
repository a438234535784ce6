import torch
import torch.nn as nn


class _Loss(torch.autograd.Function):
    @staticmethod
    def forward(ctx, logits, target, ignore_index, eps, z):
        rows = torch.nonzero(target != ignore_index).flatten()
        ctx.cfg = (eps, z)
        l = logits[rows].double()
        t = target[rows]
        lse = torch.logsumexp(l, 1)
        ctx.save_for_backward(logits, rows, t, lse)
        if rows.numel() == 0:
            return torch.zeros((), device=logits.device)
        row = lse - (1 - eps) * l[torch.arange(len(rows)), t] - eps * l.mean(1) + z * lse * lse
        return row.mean().float()

    @staticmethod
    def backward(ctx, g):
        logits, rows, t, lse = ctx.saved_tensors
        eps, z = ctx.cfg
        out = torch.zeros(logits.shape, dtype=logits.dtype, device=logits.device)
        n = rows.numel()
        if n:
            l = logits[rows].double()
            d = torch.softmax(l, 1) * (1 + 2 * z * lse)[:, None] - eps / l.shape[1]
            d[torch.arange(n), t] -= 1 - eps
            out[rows] = (d * (g.double() / n)).to(out.dtype)
        return out, None, None, None, None


class ModelNew(nn.Module):
    """Hand-derived backward in double precision over the counted rows."""

    def __init__(self, ignore_index=-100, label_smoothing=0.1, z_coef=1e-4):
        super().__init__()
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing
        self.z_coef = z_coef

    def forward(self, logits, target):
        return _Loss.apply(logits, target, self.ignore_index, self.label_smoothing, self.z_coef)
