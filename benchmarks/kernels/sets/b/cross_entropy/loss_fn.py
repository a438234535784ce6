import torch
import torch.nn as nn


class _CE(torch.autograd.Function):
    """Makes the gradient in the forward pass, as fused training kernels do."""

    @staticmethod
    def forward(ctx, logits, target, eps, ignore):
        n, c = logits.shape
        keep = (target != ignore)
        z = logits - logits.amax(1, keepdim=True)
        logp = z - z.exp().sum(1, keepdim=True).log()
        q = torch.full_like(logits, eps / c)
        q[torch.arange(n)[keep], target[keep]] += 1 - eps
        q *= keep[:, None]
        ctx.save_for_backward((logp.exp() * keep[:, None] - q) / keep.sum())
        return -(q * logp).sum() / keep.sum()

    @staticmethod
    def backward(ctx, grad_output):
        (grad,) = ctx.saved_tensors
        return grad, None, None, None


class ModelNew(nn.Module):
    def __init__(self, label_smoothing=0.0, ignore_index=-100):
        super().__init__()
        self.label_smoothing = label_smoothing
        self.ignore_index = ignore_index

    def forward(self, logits, target):
        return _CE.apply(logits, target, self.label_smoothing, self.ignore_index)
