import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """In-place moments and a fused addcdiv update of the weight."""

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
            return self.w.clone(), norm
        coef = torch.clamp(self.max_norm / (norm + 1e-6), max=1.0)
        m = self.exp_avg if self.training else self.exp_avg.clone()
        v = self.exp_avg_sq if self.training else self.exp_avg_sq.clone()
        g = grad * coef
        m.mul_(self.beta1).add_(g, alpha=1 - self.beta1)
        v.mul_(self.beta2).addcmul_(g, g, value=1 - self.beta2)
        t = int(self.step.item()) + 1
        denom = (v.sqrt() / (1 - self.beta2**t) ** 0.5).add_(self.eps)
        new = (self.w * (1 - self.lr * self.weight_decay)).addcdiv_(m, denom, value=-self.lr / (1 - self.beta1**t))
        if self.training:
            self.step += 1
            self.w.copy_(new)
        return new, norm
