import numpy as np
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
        # update in double precision on the host
        self.step += 1
        t = int(self.step)
        f64 = lambda a: a.detach().to("cpu", torch.float64).numpy()
        P, G = f64(p), f64(g)
        M = self.beta1 * f64(self.exp_avg) + (1 - self.beta1) * G
        V = self.beta2 * f64(self.exp_avg_sq) + (1 - self.beta2) * G * G
        self.exp_avg.copy_(torch.from_numpy(M))
        self.exp_avg_sq.copy_(torch.from_numpy(V))
        U = (M / (1 - self.beta1 ** t)) / (np.sqrt(V / (1 - self.beta2 ** t)) + self.eps)
        U += self.weight_decay * P
        wn = np.minimum(np.sqrt((P * P).sum()), self.max_norm)
        un = np.sqrt((U * U).sum())
        trust = wn / un if wn > 0 and un > 0 else 1.0
        return torch.from_numpy(P - self.lr * trust * U).to(device=p.device, dtype=p.dtype)
