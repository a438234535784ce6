import torch
import torch.nn as nn


class Model(nn.Module):
    """
    One LAMB optimiser step for one weight matrix. The moments and the step count are kept
    as buffers and advance with every call. The new weights are returned as a new tensor.
    """

    def __init__(self, rows: int, cols: int, lr: float = 1e-3, beta1: float = 0.9, beta2: float = 0.999,
                 eps: float = 1e-6, weight_decay: float = 0.01, max_norm: float = 10.0):
        super().__init__()
        self.lr, self.beta1, self.beta2 = lr, beta1, beta2
        self.eps, self.weight_decay, self.max_norm = eps, weight_decay, max_norm
        self.register_buffer("exp_avg", torch.zeros(rows, cols))
        self.register_buffer("exp_avg_sq", torch.zeros(rows, cols))
        self.register_buffer("step", torch.zeros((), dtype=torch.int64))

    @torch.no_grad()
    def forward(self, p: torch.Tensor, g: torch.Tensor) -> torch.Tensor:
        """
        p, g: (rows, cols), finite
        """
        self.step += 1
        t = int(self.step)
        self.exp_avg.copy_(self.beta1 * self.exp_avg + (1 - self.beta1) * g)
        self.exp_avg_sq.copy_(self.beta2 * self.exp_avg_sq + (1 - self.beta2) * g * g)
        m_hat = self.exp_avg / (1 - self.beta1 ** t)
        v_hat = self.exp_avg_sq / (1 - self.beta2 ** t)
        u = m_hat / (v_hat.sqrt() + self.eps) + self.weight_decay * p
        w_norm = p.norm().clamp(max=self.max_norm)
        u_norm = u.norm()
        if w_norm > 0 and u_norm > 0:
            trust = w_norm / u_norm
        else:
            trust = torch.ones_like(w_norm)
        return p - self.lr * trust * u


rows = 96
cols = 128


def get_inputs():
    return [torch.randn(rows, cols) * 0.1, torch.randn(rows, cols)]


def get_init_inputs():
    return [rows, cols]
