import torch
import torch.nn as nn


class Model(nn.Module):
    """
    One AdamW step with clipping of the gradient's norm. Pure: returns the new parameter and the
    new (uncorrected) moments, and leaves its inputs alone. `step` counts from 1.
    """

    def __init__(self, lr: float = 1e-3, beta1: float = 0.9, beta2: float = 0.999,
                 eps: float = 1e-8, weight_decay: float = 0.01, max_norm: float = 1.0):
        super(Model, self).__init__()
        self.lr = lr
        self.beta1 = beta1
        self.beta2 = beta2
        self.eps = eps
        self.weight_decay = weight_decay
        self.max_norm = max_norm

    @torch.no_grad()
    def forward(self, param: torch.Tensor, grad: torch.Tensor, exp_avg: torch.Tensor,
                exp_avg_sq: torch.Tensor, step: torch.Tensor):
        norm = torch.linalg.vector_norm(grad)
        g = grad * torch.clamp(self.max_norm / (norm + 1e-6), max=1.0)
        m = self.beta1 * exp_avg + (1 - self.beta1) * g
        v = self.beta2 * exp_avg_sq + (1 - self.beta2) * g * g
        t = step.double()
        bias1 = 1 - self.beta1 ** t
        bias2 = 1 - self.beta2 ** t
        update = (m / bias1) / (torch.sqrt(v / bias2) + self.eps)
        p = param * (1 - self.lr * self.weight_decay) - self.lr * update
        return p, m, v


rows = 256
cols = 300


def get_inputs():
    param = torch.randn(rows, cols)
    grad = torch.randn(rows, cols) * 1e-6
    exp_avg = torch.randn(rows, cols) * 1e-6
    exp_avg_sq = (torch.rand(rows, cols) + 0.1) * 1e-12
    step = torch.tensor(10)
    return [param, grad, exp_avg, exp_avg_sq, step]


def get_init_inputs():
    return []
