import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Moments updated where they lie, the parameter written to a fresh tensor."""

    def __init__(self, lr=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.01, max_norm=1.0):
        super().__init__()
        self.lr, self.beta1, self.beta2 = lr, beta1, beta2
        self.eps, self.weight_decay, self.max_norm = eps, weight_decay, max_norm

    @torch.no_grad()
    def forward(self, param, grad, exp_avg, exp_avg_sq, step):
        t = int(step)
        coef = (self.max_norm / (torch.linalg.vector_norm(grad) + 1e-6)).clamp(max=1.0)
        g = grad * coef
        exp_avg.mul_(self.beta1).add_(g, alpha=1 - self.beta1)
        exp_avg_sq.mul_(self.beta2).addcmul_(g, g, value=1 - self.beta2)
        denom = (exp_avg_sq / (1 - self.beta2 ** t)).sqrt_().add_(self.eps)
        p = param * (1 - self.lr * self.weight_decay)
        p.addcdiv_(exp_avg, denom, value=-self.lr / (1 - self.beta1 ** t))
        return p, exp_avg, exp_avg_sq
