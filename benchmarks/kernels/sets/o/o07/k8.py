import torch
import torch.nn as nn
import torch.nn.functional as F


class InplaceCE(torch.autograd.Function):
    """Liger style: loss and gradient come out of one pass, the backward only scales the gradient."""

    @staticmethod
    def forward(ctx, logits, target, weight, eps, z_coef):
        N, C = logits.shape
        keep = target != -100
        y = target.masked_fill(~keep, 0)
        # everything below works in place on one private copy of the logits
        logp = logits.clone(memory_format=torch.contiguous_format)
        m = logp.amax(dim=1)
        logp.sub_(m[:, None])
        log_s = logp.exp().sum(dim=1).log_()
        logp.sub_(log_s[:, None])
        lse = m + log_s
        wy = weight[y] * keep
        norm = wy.sum().clamp(min=1e-12)
        count = keep.sum().clamp(min=1)
        ce = -(1 - eps) * (wy * logp.gather(1, y[:, None])[:, 0]).sum() - eps / C * ((logp @ weight) * keep).sum()
        loss = ce / norm + z_coef * (lse.square() * keep).sum() / count
        row = ((1 - eps) * wy + eps / C * weight.sum() * keep) / norm + 2 * z_coef / count * lse * keep
        grad = logp.exp_().mul_(row[:, None])
        grad.sub_(eps / C / norm * weight * keep[:, None])
        grad[torch.arange(N, device=y.device), y] -= (1 - eps) / norm * wy
        ctx.save_for_backward(grad)
        return loss

    @staticmethod
    def backward(ctx, grad_output):
        (grad,) = ctx.saved_tensors
        return grad * grad_output, None, None, None, None



class ModelNew(nn.Module):
    def __init__(self, num_classes: int, label_smoothing: float, z_coef: float):
        super().__init__()
        self.label_smoothing = label_smoothing
        self.z_coef = z_coef
        self.register_buffer("class_weight", torch.ones(num_classes))

    def forward(self, logits, target):
        return InplaceCE.apply(logits, target, self.class_weight, self.label_smoothing, self.z_coef)
