import torch
import torch.nn as nn


class _FusedCE(torch.autograd.Function):
    """The gradient is made in the forward pass, while the probabilities are at hand."""

    @staticmethod
    def forward(ctx, logits, target, w, eps, ignore):
        C = logits.shape[1]
        w = w.to(logits.dtype)
        z = logits.movedim(1, -1)
        logp = z - torch.logsumexp(z, -1, keepdim=True)
        valid = (target != ignore)
        yc = target.masked_fill(~valid, 0)
        wy = w[yc].masked_fill(~valid, 0.0)
        q = torch.zeros_like(logp).scatter(-1, yc.unsqueeze(-1), ((1 - eps) * wy).unsqueeze(-1))
        if eps > 0:
            q = q + eps / C * w * valid.unsqueeze(-1)
        total = wy.sum()
        ctx.save_for_backward(((logp.exp() * q.sum(-1, keepdim=True) - q) / total).movedim(-1, 1))
        return torch.where(q == 0, torch.zeros_like(q), -q * logp).sum() / total

    @staticmethod
    def backward(ctx, g):
        (grad,) = ctx.saved_tensors
        return grad, None, None, None, None


class ModelNew(nn.Module):
    def __init__(self, num_classes, label_smoothing=0.1, ignore_index=-100):
        super().__init__()
        self.label_smoothing, self.ignore_index = label_smoothing, ignore_index
        self.register_buffer("class_weight", torch.ones(num_classes, dtype=torch.float64))

    def forward(self, logits, target):
        return _FusedCE.apply(logits, target, self.class_weight, self.label_smoothing,
                              self.ignore_index)
