import torch
import torch.nn as nn


class _Base(nn.Module):
    def __init__(self, ignore_index, label_smoothing, z_loss):
        super().__init__()
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing
        self.z_loss = z_loss


class _FusedCE(torch.autograd.Function):
    """The gradient is formed in the forward pass while the probabilities are at hand."""

    @staticmethod
    def forward(ctx, logits, targets, ignore_index, eps, z):
        N, C = logits.shape
        valid = targets != ignore_index
        count = valid.sum().clamp(min=1)
        m = logits.amax(1, keepdim=True)
        safe = torch.where(valid, targets, torch.zeros_like(targets))[:, None]
        hit = logits.gather(1, safe) - m
        centred = (logits - m).mean(1, keepdim=True)
        g = logits.detach().sub_(m).exp_()           # reuse the logits buffer, as they are large
        l = g.sum(1, keepdim=True)
        logl = torch.log(l)
        lse = m + logl
        loss = (1 - eps) * (logl - hit) + eps * (logl - centred) + z * lse * lse
        loss = loss[:, 0].masked_fill(~valid, 0).sum() / count
        g.mul_((1 + 2 * z * lse) / l).sub_(eps / C)
        g.scatter_add_(1, safe, torch.full_like(m, eps - 1))
        g.div_(count).masked_fill_(~valid[:, None], 0)
        ctx.save_for_backward(g)
        return loss

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, dloss):
        (g,) = ctx.saved_tensors
        return g * dloss, None, None, None, None


class ModelNew(_Base):
    def forward(self, logits, targets):
        return _FusedCE.apply(logits, targets, self.ignore_index, self.label_smoothing, self.z_loss)
