import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Moments stored back first, the update computed from the normalised moments with one reciprocal."""

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
            return self.w.detach().clone(), norm
        coef = torch.clamp(self.max_norm / (norm + 1e-6), max=1.0)
        g = grad.mul(coef)
        t = int(self.step.item()) + 1
        c1, c2 = 1.0 - self.beta1**t, 1.0 - self.beta2**t
        m = torch.lerp(self.exp_avg, g, 1 - self.beta1)
        v = torch.addcmul(self.exp_avg_sq * self.beta2, g, g, value=1 - self.beta2)
        direction = (m / c1) * torch.reciprocal(torch.sqrt(v / c2) + self.eps)
        new = torch.sub(self.w.detach(), self.lr * (self.weight_decay * self.w.detach() + direction))
        if self.training:
            self.exp_avg, self.exp_avg_sq = m, v
            self.step += 1
            self.w.data.copy_(new)
        return new, norm
