import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Closed form: y_t = d^t * (h0 + sum_s (1-d) x_s / d^s), one cumulative sum."""

    def __init__(self, channels):
        super().__init__()
        self.decay_logit = nn.Parameter(torch.linspace(0.5, 3.0, channels))
    def forward(self, x, h0):
        T = x.shape[1]
        d = torch.sigmoid(self.decay_logit)
        t = torch.arange(1, T + 1, device=x.device, dtype=x.dtype)[:, None]
        p = d[None, :] ** t
        s = torch.cumsum((1 - d) * x / p, dim=1)
        return p * (h0[:, None, :] + s)
