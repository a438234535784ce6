import torch
import torch.nn as nn


class _Lovasz(torch.autograd.Function):
    """Forward and gradient in double precision; the loss is piecewise linear in the errors."""

    @staticmethod
    def forward(ctx, logits, labels, ignore):
        B, C, H, W = logits.shape
        p = torch.softmax(logits.double(), dim=1).movedim(1, 0).flatten(1)
        t = labels.reshape(-1)
        keep = t != ignore
        gp = torch.zeros_like(p)
        loss = p.new_zeros(())
        classes = [c for c in range(C) if bool(((t == c) & keep).any())]
        pos = keep.nonzero().squeeze(1)
        for c in classes:
            fg = (t[pos] == c).double()
            d = p[c, pos] - fg
            order = torch.argsort(d.abs(), descending=True, stable=True)
            f = fg[order]
            n = f.sum()
            jac = 1 - (n - f.cumsum(0)) / (n + (1 - f).cumsum(0))
            jac[1:] = jac[1:] - jac[:-1].clone()
            loss += (d.abs()[order] * jac).sum() / len(classes)
            gp[c, pos[order]] = jac * torch.sign(d[order]) / len(classes)
        dlogits = p * (gp - (gp * p).sum(0, keepdim=True))
        ctx.save_for_backward(dlogits.view(C, B, H, W).movedim(0, 1).to(logits.dtype))
        return loss.to(logits.dtype)

    @staticmethod
    def backward(ctx, grad):
        return ctx.saved_tensors[0] * grad, None, None


class ModelNew(nn.Module):
    def __init__(self, ignore_index: int = 255):
        super().__init__()
        self.ignore_index = ignore_index

    def forward(self, logits, labels):
        return _Lovasz.apply(logits, labels, self.ignore_index)
