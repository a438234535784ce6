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
        t = int(self.step)
        self.exp_avg.lerp_(g, 1 - self.beta1)
        self.exp_avg_sq.lerp_(g * g, 1 - self.beta2)
        u = self.exp_avg / (1 - self.beta1 ** t)
        u = u / ((self.exp_avg_sq / (1 - self.beta2 ** t)).sqrt() + self.eps)
        u = u + self.weight_decay * p
        w_norm = p.norm().clamp(max=self.max_norm)
        trust = w_norm / (u.norm() + 1e-12)
        return p - self.lr * trust * u
