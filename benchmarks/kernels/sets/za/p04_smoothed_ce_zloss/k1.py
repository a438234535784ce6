import torch
import torch.nn as nn


class _Loss(torch.autograd.Function):
    @staticmethod
    def forward(ctx, logits, target, cw, smoothing, ignore_index, z_coef):
        n, c = logits.shape
        valid = target != ignore_index
        rows = valid.nonzero().squeeze(1)
        ctx.shape = (n, c)
        if rows.numel() == 0:
            ctx.empty = True
            return logits.new_zeros(())
        ctx.empty = False
        x = logits.index_select(0, rows)
        t = target.index_select(0, rows)
        lse = torch.logsumexp(x, 1)
        p = torch.exp(x - lse[:, None])
        wt = cw[t]
        denom = wt.sum()
        wsum = cw.sum()
        xt = x.gather(1, t[:, None]).squeeze(1)
        nll = (wt * (lse - xt)).sum()
        # centre by lse before the weighted sum
        smooth = (cw * (lse[:, None] - x)).sum() / c
        loss = ((1 - smoothing) * nll + smoothing * smooth) / denom
        loss = loss + z_coef * lse.square().mean()
        ctx.save_for_backward(p, t, rows, wt, lse, denom, wsum, cw)
        ctx.hp = (smoothing, z_coef)
        return loss

    @staticmethod
    def backward(ctx, g):
        grad = g.new_zeros(ctx.shape)
        if ctx.empty:
            return grad, None, None, None, None, None
        p, t, rows, wt, lse, denom, wsum, cw = ctx.saved_tensors
        smoothing, z = ctx.hp
        c = p.shape[1]
        coef = ((1 - smoothing) * wt + smoothing * wsum / c) / denom + 2 * z * lse / rows.numel()
        d = p * coef[:, None] - smoothing / c / denom * cw
        d.scatter_add_(1, t[:, None], (-(1 - smoothing) * wt / denom)[:, None])
        grad.index_copy_(0, rows, d * g)
        return grad, None, None, None, None, None


class ModelNew(nn.Module):
    def __init__(self, num_classes, smoothing=0.1, ignore_index=-100, z_coef=1e-3):
        super().__init__()
        self.hp = (smoothing, ignore_index, z_coef)
        self.register_buffer("class_weight", torch.ones(num_classes))

    def forward(self, logits, target):
        return _Loss.apply(logits, target, self.class_weight, *self.hp)
