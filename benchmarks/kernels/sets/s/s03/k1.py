import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Closed form with cumulative decays: h_t = P_t (h0 + sum_s u_s / P_s)."""

    def __init__(self):
        super().__init__()

    def forward(self, x, log_a, h0):
        u = torch.sqrt(-torch.expm1(2.0 * log_a)) * x
        logp = torch.cumsum(log_a, dim=1)
        h = torch.exp(logp) * (h0.unsqueeze(1) + torch.cumsum(u * torch.exp(-logp), dim=1))
        return h, h[:, -1].clone()
