import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Textbook order of operations, the corrected moments kept in registers."""

    def __init__(self, lr=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.01, max_norm=1.0):
        super().__init__()
        self.lr, self.beta1, self.beta2 = lr, beta1, beta2
        self.eps, self.weight_decay, self.max_norm = eps, weight_decay, max_norm

    @torch.no_grad()
    def forward(self, param, grad, exp_avg, exp_avg_sq, step):
        t = int(step)
        norm = grad.norm()
        g = grad * (self.max_norm / (norm + 1e-6)).clamp(max=1.0)
        m = exp_avg * self.beta1 + g * (1 - self.beta1)
        v = exp_avg_sq * self.beta2 + g.square() * (1 - self.beta2)
        m = m / (1 - self.beta1 ** t)
        v = v / (1 - self.beta2 ** t)
        p = param - self.lr * (m / (v.sqrt() + self.eps) + self.weight_decay * param)
        return p, m, v
