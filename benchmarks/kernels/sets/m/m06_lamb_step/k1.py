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
        self.step.add_(1)
        t = self.step.item()
        m, v = self.exp_avg, self.exp_avg_sq
        m.lerp_(g, 1.0 - self.beta1)
        v.mul_(self.beta2).addcmul_(g, g, value=1.0 - self.beta2)
        denom = v.div(1.0 - self.beta2 ** t).sqrt_().add_(self.eps)
        u = torch.addcdiv(self.weight_decay * p, m, denom, value=1.0 / (1.0 - self.beta1 ** t))
        wn = torch.linalg.vector_norm(p).clamp(max=self.max_norm)
        un = torch.linalg.vector_norm(u)
        ratio = torch.where((wn > 0) & (un > 0), wn / un, torch.ones_like(wn))
        return torch.sub(p, ratio * u, alpha=self.lr)
