import torch
import torch.nn as nn

class _Loss(torch.autograd.Function):
    @staticmethod
    def forward(ctx, logits, target, a, z, ignore):
        C = logits.shape[1]
        mx = logits.max(1, keepdim=True).values
        e = torch.exp(logits - mx)
        den = e.sum(1, keepdim=True)
        lse = (mx + den.log()).squeeze(1)
        keep = target != ignore
        tgt = torch.where(keep, target, torch.zeros_like(target))
        w = keep.to(logits.dtype) / keep.sum(1, keepdim=True).clamp(min=1)
        ly = logits.gather(1, tgt.unsqueeze(1)).squeeze(1)
        loss = ((lse - (1 - a) * ly - a * logits.mean(1) + z * lse * lse) * w).sum(1)
        ctx.save_for_backward(e / den, lse, tgt, w)
        ctx.a, ctx.z = a, z
        return loss

    @staticmethod
    def backward(ctx, g):
        p, lse, tgt, w = ctx.saved_tensors
        C = p.shape[1]
        grad = p - ctx.a / C
        grad.scatter_add_(1, tgt.unsqueeze(1), torch.full_like(lse, ctx.a - 1).unsqueeze(1))
        return grad * (w * g.unsqueeze(1)).unsqueeze(1), None, None, None, None


class ModelNew(nn.Module):
    """Fused loss with a hand-written backward."""

    def __init__(self, smoothing, z_coef, ignore_index):
        super().__init__()
        self.smoothing = smoothing
        self.z_coef = z_coef
        self.ignore_index = ignore_index

    def forward(self, logits, target):
        return _Loss.apply(logits, target, self.smoothing, self.z_coef, self.ignore_index)
