import torch
import torch.nn as nn


class _SmoothCE(torch.autograd.Function):
    @staticmethod
    def forward(ctx, logits, target, w, eps, ignore):
        C = logits.shape[1]
        w = w.to(logits.dtype)
        z = logits.movedim(1, -1)
        z = z - z.amax(dim=-1, keepdim=True)
        logp = z - z.exp().sum(dim=-1, keepdim=True).log()
        valid = target != ignore
        yc = target.masked_fill(~valid, 0)
        wy = torch.where(valid, w[yc], torch.zeros((), dtype=w.dtype, device=w.device))
        total = wy.sum()
        picked = logp.gather(-1, yc.unsqueeze(-1)).squeeze(-1)
        loss = -(1 - eps) * torch.where(valid, wy * picked, torch.zeros_like(picked)).sum()
        if eps > 0:
            row = (logp * w).sum(-1)
            loss = loss - eps / C * torch.where(valid, row, torch.zeros_like(row)).sum()
        ctx.save_for_backward(logp, yc, valid, wy, w, total)
        ctx.eps = eps
        return loss / total

    @staticmethod
    def backward(ctx, g):
        logp, yc, valid, wy, w, total = ctx.saved_tensors
        C = logp.shape[-1]
        hard = (1 - ctx.eps) * wy.unsqueeze(-1)
        q = torch.zeros_like(logp).scatter(-1, yc.unsqueeze(-1), hard)
        if ctx.eps > 0:
            q = q + ctx.eps / C * w * valid.unsqueeze(-1)
        grad = logp.exp() * q.sum(-1, keepdim=True) - q
        return (grad * (g / total)).movedim(-1, 1), None, None, None, None


class ModelNew(nn.Module):
    def __init__(self, num_classes, label_smoothing=0.1, ignore_index=-100):
        super().__init__()
        self.label_smoothing, self.ignore_index = label_smoothing, ignore_index
        self.register_buffer("class_weight", torch.ones(num_classes, dtype=torch.float64))

    def forward(self, logits, target):
        return _SmoothCE.apply(logits, target, self.class_weight, self.label_smoothing,
                               self.ignore_index)
