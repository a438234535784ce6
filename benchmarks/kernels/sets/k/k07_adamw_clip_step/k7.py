import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Reciprocal root in place of a root and a division."""

    def __init__(self, lr=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.01, max_norm=1.0):
        super().__init__()
        self.lr, self.beta1, self.beta2 = lr, beta1, beta2
        self.eps, self.weight_decay, self.max_norm = eps, weight_decay, max_norm

    @torch.no_grad()
    def forward(self, param, grad, exp_avg, exp_avg_sq, step):
        norm = grad.square().sum().sqrt()
        g = grad * (self.max_norm / (norm + 1e-6)).clamp(max=1.0)
        m = self.beta1 * exp_avg + (1 - self.beta1) * g
        v = self.beta2 * exp_avg_sq + (1 - self.beta2) * g * g
        t = int(step)
        c1, c2 = 1 - self.beta1 ** t, 1 - self.beta2 ** t
        p = param * (1 - self.lr * self.weight_decay) \
            - (self.lr / c1) * m * torch.rsqrt(v / c2 + self.eps)
        return p, m, v
