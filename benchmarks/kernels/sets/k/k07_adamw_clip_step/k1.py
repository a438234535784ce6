import math

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Folded form: one step size, the bias correction of the second moment in its root."""

    def __init__(self, lr=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.01, max_norm=1.0):
        super().__init__()
        self.lr, self.beta1, self.beta2 = lr, beta1, beta2
        self.eps, self.weight_decay, self.max_norm = eps, weight_decay, max_norm

    @torch.no_grad()
    def forward(self, param, grad, exp_avg, exp_avg_sq, step):
        t = step.item()
        scale = torch.clamp(self.max_norm / (grad.norm() + 1e-6), max=1.0)
        g = grad.mul(scale)
        m = torch.lerp(exp_avg, g, 1 - self.beta1)
        v = exp_avg_sq.mul(self.beta2).addcmul_(g, g, value=1 - self.beta2)
        root = math.sqrt(1 - self.beta2 ** t)
        denom = v.sqrt().add_(self.eps * root)
        step_size = self.lr * root / (1 - self.beta1 ** t)
        p = param.mul(1 - self.lr * self.weight_decay).addcdiv_(m, denom, value=-step_size)
        return p, m, v
