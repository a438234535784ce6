import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Inclusive scan by doubling with the pairs (a, b)."""

    def __init__(self, dim, c):
        super().__init__()
        self.c = c
        self.lam = nn.Parameter(torch.linspace(-6.0, -3.0, dim))

    def forward(self, x, gate, reset, h0):
        la = -self.c * F.softplus(self.lam) * torch.sigmoid(gate)
        r = reset.unsqueeze(-1)
        A = torch.exp(la).masked_fill(r, 0.0)
        Bv = torch.sqrt(-torch.expm1(2 * la)).masked_fill(r, 1.0) * x.float()
        T = x.shape[1]
        k = 1
        while k < T:
            Bv = torch.cat([Bv[:, :k], A[:, k:] * Bv[:, :-k] + Bv[:, k:]], 1)
            A = torch.cat([A[:, :k], A[:, k:] * A[:, :-k]], 1)
            k *= 2
        h = A * h0[:, None] + Bv
        return h.to(x.dtype), h[:, -1].contiguous()
