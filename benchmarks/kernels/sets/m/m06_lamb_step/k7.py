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
        m = torch.lerp(self.exp_avg, g, 1 - self.beta1)
        v = torch.lerp(self.exp_avg_sq, g * g, 1 - self.beta2)
        m_hat = m / (1 - self.beta1 ** t)
        v_hat = v / (1 - self.beta2 ** t)
        u = m_hat / (v_hat.sqrt() + self.eps) + self.weight_decay * p
        norms = torch.stack([p.norm().clamp(max=self.max_norm), u.norm()])
        trust = torch.where(norms.min() > 0, norms[0] / norms[1], torch.ones_like(norms[0]))
        return p - self.lr * trust * u
