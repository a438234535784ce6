import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Updates the weight in place and hands it out without another copy."""

    def __init__(self, numel, lr, beta1, beta2, eps, weight_decay, max_norm):
        super().__init__()
        self.lr, self.beta1, self.beta2 = lr, beta1, beta2
        self.eps, self.weight_decay, self.max_norm = eps, weight_decay, max_norm
        self.w = nn.Parameter(torch.randn(numel))
        self.register_buffer("exp_avg", torch.zeros(numel))
        self.register_buffer("exp_avg_sq", torch.zeros(numel))
        self.register_buffer("step", torch.zeros(()))

    @torch.no_grad()
    def forward(self, grad):
        norm = grad.norm()
        if not torch.isfinite(norm):
            return self.w.detach(), norm
        coef = torch.clamp(self.max_norm / (norm + 1e-6), max=1.0)
        g = grad * coef
        t = int(self.step.item()) + 1
        m = self.exp_avg * self.beta1 + g * (1 - self.beta1)
        v = self.exp_avg_sq * self.beta2 + g * g * (1 - self.beta2)
        upd = (m / (1 - self.beta1**t)) / (torch.sqrt(v / (1 - self.beta2**t)) + self.eps)
        w = self.w.detach() if self.training else self.w.detach().clone()
        w.mul_(1 - self.lr * self.weight_decay).sub_(upd, alpha=self.lr)
        if self.training:
            self.exp_avg.copy_(m)
            self.exp_avg_sq.copy_(v)
            self.step.fill_(t)
        return w, norm
