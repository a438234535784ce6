import torch
import torch.nn as nn


class _SmoothCE(torch.autograd.Function):
    @staticmethod
    def forward(ctx, logits, targets, eps, z):
        V = logits.shape[-1]
        x = logits.reshape(-1, V)
        t = targets.reshape(-1)
        valid = t != -100
        ts = torch.where(valid, t, torch.zeros_like(t))
        mx = x.amax(-1, keepdim=True)
        ex = torch.exp(x - mx)
        den = ex.sum(-1, keepdim=True)
        lse = (den.log() + mx).squeeze(-1)
        n = valid.sum().clamp(min=1)
        picked = x.gather(1, ts[:, None]).squeeze(1)
        per = lse - (1 - eps) * picked - eps * x.mean(-1) + z * lse * lse
        loss = (per * valid).sum() / n
        grad = ex / den * (1 + 2 * z * lse)[:, None] - eps / V
        grad.scatter_add_(1, ts[:, None], torch.full_like(lse, -(1 - eps))[:, None])
        grad *= (valid / n)[:, None]
        ctx.save_for_backward(grad.view_as(logits))
        return loss

    @staticmethod
    def backward(ctx, grad_output):
        grad, = ctx.saved_tensors
        return grad, None, None, None


class ModelNew(nn.Module):
    def __init__(self, eps: float, z: float):
        super().__init__()
        self.eps = eps
        self.z = z

    def forward(self, logits, targets):
        return _SmoothCE.apply(logits, targets, self.eps, self.z)
