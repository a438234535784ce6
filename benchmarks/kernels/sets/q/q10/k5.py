import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Keeps the step counter on the host, so that no device synchronisation is needed for the bias correction."""

    def __init__(self, numel, lr, beta1, beta2, eps, weight_decay, max_norm):
        super().__init__()
        self.lr, self.beta1, self.beta2 = lr, beta1, beta2
        self.eps, self.weight_decay, self.max_norm = eps, weight_decay, max_norm
        self.w = nn.Parameter(torch.randn(numel))
        self.register_buffer("exp_avg", torch.zeros(numel))
        self.register_buffer("exp_avg_sq", torch.zeros(numel))
        self.register_buffer("step", torch.zeros(()))
        self._t = 0

    @torch.no_grad()
    def forward(self, grad):
        norm = grad.norm()
        if not torch.isfinite(norm):
            return self.w.clone(), norm
        coef = torch.clamp(self.max_norm / (norm + 1e-6), max=1.0)
        g = grad * coef
        t = self._t + 1
        m = torch.lerp(self.exp_avg, g, 1 - self.beta1)
        v = self.exp_avg_sq * self.beta2 + (1 - self.beta2) * g.square()
        c1 = 1 - self.beta1**t
        c2 = 1 - self.beta2**t
        new = self.w * (1 - self.lr * self.weight_decay) - (self.lr / c1) * m / ((v / c2).sqrt() + self.eps)
        if self.training:
            self._t = t
            self.exp_avg.copy_(m)
            self.exp_avg_sq.copy_(v)
            self.step.fill_(t)
            self.w.copy_(new)
        return new, norm
