import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Uses cdist on the scaled points, in the mode that does not form the Gram matrix."""

    def __init__(self, dim, eps):
        super().__init__()
        self.eps = eps
        self.log_scale = nn.Parameter(torch.zeros(dim))

    def _mean(self, a, b):
        return (torch.cdist(a, b, compute_mode="donot_use_mm_for_euclid_dist") + self.eps).mean()

    def forward(self, x, y):
        s = self.log_scale.exp()
        x, y = x * s, y * s
        return 2 * self._mean(x, y) - self._mean(x, x) - self._mean(y, y)
