import torch
import torch.nn as nn


class _Loss(torch.autograd.Function):
    @staticmethod
    def forward(ctx, logits, targets, eps, z):
        lse = torch.logsumexp(logits, dim=-1)
        valid = targets != -100
        safe = targets.masked_fill(~valid, 0)
        n = valid.sum().clamp(min=1)
        picked = torch.gather(logits, -1, safe[..., None])[..., 0]
        per = (1 - eps) * (lse - picked) + eps * (lse - logits.mean(-1)) + z * lse.square()
        ctx.save_for_backward(logits, lse, safe, valid, n)
        ctx.eps, ctx.z = eps, z
        return per.masked_fill(~valid, 0.0).sum() / n

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, go):
        logits, lse, safe, valid, n = ctx.saved_tensors
        V = logits.shape[-1]
        g = torch.exp(logits - lse[..., None])
        g = g * (1 + 2 * ctx.z * lse)[..., None]
        g -= ctx.eps / V
        g.scatter_add_(-1, safe[..., None], torch.full_like(lse, ctx.eps - 1)[..., None])
        g *= (go * valid / n)[..., None]
        return g, None, None, None


class ModelNew(nn.Module):
    def __init__(self, eps: float, z: float):
        super().__init__()
        self.eps = eps
        self.z = z

    def forward(self, logits, targets):
        return _Loss.apply(logits, targets, self.eps, self.z)
