import torch
import torch.nn as nn


class _AddRMSGate(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, r, g, w, eps):
        h = x + r
        inv = torch.rsqrt((h * h).mean(-1, keepdim=True) + eps)
        sg = torch.sigmoid(g)
        y = h * inv * w * (g * sg)
        ctx.save_for_backward(h, inv, g, sg, w)
        return y, h

    @staticmethod
    def backward(ctx, gy, gh):
        h, inv, g, sg, w = ctx.saved_tensors
        n = h * inv
        act = g * sg
        ggate = gy * n * w * (sg * (1 + g * (1 - sg)))
        gw = (gy * n * act).reshape(-1, h.shape[-1]).sum(0)
        gn = gy * act * w
        dh = inv * (gn - n * (gn * n).mean(-1, keepdim=True)) + gh
        return dh, dh.clone(), ggate, gw, None


class ModelNew(nn.Module):
    def __init__(self, dim, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.eps = eps

    def forward(self, x, residual, gate):
        return _AddRMSGate.apply(x, residual, gate, self.weight, self.eps)
