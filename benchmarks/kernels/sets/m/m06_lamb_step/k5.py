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
        m, v = self.exp_avg, self.exp_avg_sq
        m.mul_(self.beta1).add_(g, alpha=1 - self.beta1)
        v.mul_(self.beta2).addcmul_(g, g, value=1 - self.beta2)
        # both bias corrections folded into one scalar
        scale = (1 - self.beta2 ** t) ** 0.5 / (1 - self.beta1 ** t)
        u = scale * m / (v.sqrt() + self.eps)
        u.add_(p, alpha=self.weight_decay)
        w_norm = p.norm().clamp_(max=self.max_norm)
        u_norm = u.norm()
        trust = torch.where(w_norm > 0, torch.where(u_norm > 0, w_norm / u_norm, 1.0), 1.0)
        return p - self.lr * trust * u
