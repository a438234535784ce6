import torch
import torch.nn as nn


class _CE(torch.autograd.Function):
    @staticmethod
    def forward(ctx, logits, target, cw, smoothing, ignore_index, z_coef):
        valid = (target != ignore_index).float()
        safe = torch.where(target != ignore_index, target, 0)
        n = valid.sum().clamp(min=1)
        w = cw[safe] * valid
        denom = w.sum()
        denom = torch.where(denom > 0, denom, torch.ones_like(denom))
        m = logits.amax(1, keepdim=True)
        e = torch.exp(logits - m)
        s = e.sum(1, keepdim=True)
        lse = (m + s.log()).squeeze(1)
        c = logits.shape[1]
        nll = (lse - logits.gather(1, safe[:, None]).squeeze(1)) * w
        smooth = ((lse[:, None] - logits) * cw).sum(1) * valid / c
        loss = ((1 - smoothing) * nll + smoothing * smooth).sum() / denom
        loss = loss + z_coef * (lse * lse * valid).sum() / n
        # target distribution q; d/dx = p * sum(q) - q
        q = (smoothing / c) * cw * valid[:, None]
        q.scatter_add_(1, safe[:, None], ((1 - smoothing) * w)[:, None])
        p = e / s
        grad = (p * q.sum(1, keepdim=True) - q) / denom
        ctx.save_for_backward(grad)
        return loss

    @staticmethod
    def backward(ctx, g):
        (grad,) = ctx.saved_tensors
        return grad * g, None, None, None, None, None


class ModelNew(nn.Module):
    def __init__(self, num_classes, smoothing=0.1, ignore_index=-100, z_coef=1e-3):
        super().__init__()
        self.args = (smoothing, ignore_index, z_coef)
        self.register_buffer("class_weight", torch.ones(num_classes))

    def forward(self, logits, target):
        return _CE.apply(logits, target, self.class_weight, *self.args)
