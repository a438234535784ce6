import torch
import torch.nn as nn


class _CE(torch.autograd.Function):
    @staticmethod
    def forward(ctx, logits, target, eps, ignore):
        n, c = logits.shape
        keep = target != ignore
        count = keep.sum()
        m = logits.amax(1, keepdim=True)
        z = logits - m
        e = torch.exp(z)
        den = e.sum(1, keepdim=True)
        want = torch.full_like(logits, eps / c)
        rows = torch.arange(n)[keep]
        want[rows, target[keep]] += 1.0 - eps
        want = want * keep[:, None]
        loss = (want * (torch.log(den) - z)).sum() / count
        ctx.save_for_backward((e / den * keep[:, None] - want) / count)
        return loss

    @staticmethod
    def backward(ctx, g):
        return ctx.saved_tensors[0] * g, None, None, None


class ModelNew(nn.Module):
    def __init__(self, label_smoothing=0.0, ignore_index=-100):
        super().__init__()
        self.args = (label_smoothing, ignore_index)

    def forward(self, logits, target):
        return _CE.apply(logits, target, *self.args)
