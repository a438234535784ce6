import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Row-chunked distances accumulated in double precision."""

    def __init__(self, dim, eps):
        super().__init__()
        self.eps = eps
        self.log_scale = nn.Parameter(torch.zeros(dim))

    def _mean(self, a, b):
        w = self.log_scale.double().exp()
        total = 0
        for rows in a.double().split(20):
            d = (rows.unsqueeze(1) - b.double()) * w
            total = total + torch.sqrt((d * d).sum(-1) + self.eps).sum()
        return total / (a.shape[0] * b.shape[0])

    def forward(self, x, y):
        return (2 * self._mean(x, y) - self._mean(x, x) - self._mean(y, y)).float()
