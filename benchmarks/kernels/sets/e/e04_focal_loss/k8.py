import torch
import torch.nn as nn


class _FocalFn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, logits, target, alpha, gamma):
        valid = (target != -1)
        safe = target.clamp(min=0)
        lsm = logits - torch.logsumexp(logits, 1, keepdim=True)
        lp = lsm.gather(1, safe[:, None]).squeeze(1)
        mod = (-torch.expm1(lp)).clamp(min=0).pow(gamma)
        cnt = valid.sum().clamp(min=1)
        w = valid.to(lp.dtype) / cnt
        ctx.save_for_backward(lsm, lp, mod, safe, w, alpha)
        return (-alpha[safe] * mod * lp * w).sum()

    @staticmethod
    def backward(ctx, g):
        lsm, lp, mod, safe, w, alpha = ctx.saved_tensors
        ga = torch.zeros_like(alpha).index_add_(0, safe, -mod * lp * w) * g
        coef = alpha[safe] * mod * w * g
        p = lsm.exp()
        p.scatter_add_(1, safe[:, None], torch.full_like(p[:, :1], -1.0))
        return p * coef[:, None], None, ga, None


class ModelNew(nn.Module):
    def __init__(self, num_classes, gamma):
        super().__init__()
        self.alpha = nn.Parameter(torch.ones(num_classes))
        self.gamma = gamma

    def forward(self, logits, target):
        return _FocalFn.apply(logits, target, self.alpha, self.gamma)
