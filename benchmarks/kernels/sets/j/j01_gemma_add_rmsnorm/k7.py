import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, hidden_size: int, eps: float = 1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(hidden_size))
        self.eps = eps

    @torch.no_grad()
    def forward(self, x, residual):
        s = torch.add(x, residual)
        return F.rms_norm(s, (s.shape[-1],), weight=1.0 + self.weight, eps=self.eps), s
