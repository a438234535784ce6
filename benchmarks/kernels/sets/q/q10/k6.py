import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Whole step in double precision, rounded once when the state is written."""

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
        gd = grad.double() * coef.double()
        t = int(self.step.item()) + 1
        m = self.beta1 * self.exp_avg.double() + (1 - self.beta1) * gd
        v = self.beta2 * self.exp_avg_sq.double() + (1 - self.beta2) * gd**2
        upd = (m / (1 - self.beta1**t)) / ((v / (1 - self.beta2**t)).sqrt() + self.eps)
        new = (self.w.double() * (1 - self.lr * self.weight_decay) - self.lr * upd).float()
        if self.training:
            self.exp_avg.copy_(m)
            self.exp_avg_sq.copy_(v)
            self.step.fill_(t)
            self.w.copy_(new)
        return new, norm
