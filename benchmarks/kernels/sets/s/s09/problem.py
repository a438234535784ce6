"""Muon as a module: momentum, then Newton-Schulz orthogonalisation of the update.

forward(grad) is called once per optimizer step with grad (n, rows, cols) float32 (n
stacked matrices of any shape, wide or tall) and returns the update direction of that step:

    buf <- momentum * buf + grad
    u    = grad + momentum * buf   (nesterov)   or   buf
    per matrix: X = u / ||u||_F, then `steps` times X <- a X + (b A + c A A) X, A = X X^T
    result = X * sqrt(max(1, rows / cols))

momentum_buffer is a persistent buffer (checkpoints are loaded and continued from). The
entries of grad are 0 or have magnitude in [1e-30, 1e30] (loss scaling varies), so the norm
is taken after scaling by the largest entry; a matrix whose u is all zero gives zeros.
grad is not changed by the call and may be overwritten by the caller afterwards (it is the
reused .grad storage); any strides. No gradients are taken.
"""
import torch
import torch.nn as nn

A, B, C = 3.4445, -4.7750, 2.0315


class Model(nn.Module):
    def __init__(self, n, rows, cols, momentum=0.95, nesterov=True, steps=5):
        super().__init__()
        self.momentum = momentum
        self.nesterov = nesterov
        self.steps = steps
        self.scale = max(1.0, rows / cols) ** 0.5
        self.register_buffer("momentum_buffer", torch.zeros(n, rows, cols))

    @torch.no_grad()
    def forward(self, grad):
        buf = self.momentum_buffer
        buf.mul_(self.momentum).add_(grad)
        u = grad + self.momentum * buf if self.nesterov else buf.clone()
        tall = u.shape[1] > u.shape[2]
        if tall:
            u = u.mT
        top = u.abs().amax(dim=(1, 2), keepdim=True)
        X = u / torch.where(top == 0, torch.ones_like(top), top)
        norm = X.square().sum(dim=(1, 2), keepdim=True).sqrt()
        X = X / torch.where(norm == 0, torch.ones_like(norm), norm)
        for _ in range(self.steps):
            G = X @ X.mT
            X = A * X + (B * G + C * (G @ G)) @ X
        if tall:
            X = X.mT
        return X * self.scale


n = 1
rows = 48
cols = 48


def get_inputs():
    return [torch.randn(n, rows, cols)]


def get_init_inputs():
    return [n, rows, cols]
