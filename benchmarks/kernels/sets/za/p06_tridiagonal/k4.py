import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Two-ended (burn at both ends) elimination meeting in the middle."""

    def forward(self, dl, d, du, b):
        B, n = d.shape
        dd = d.clone()
        x = b.clone()
        mid = n // 2
        for i in range(1, mid):
            f = dl[:, i] / dd[:, i - 1]
            dd[:, i] -= f * du[:, i - 1]
            x[:, i] -= f[:, None] * x[:, i - 1]
        for i in range(n - 2, mid, -1):
            f = du[:, i] / dd[:, i + 1]
            dd[:, i] -= f * dl[:, i + 1]
            x[:, i] -= f[:, None] * x[:, i + 1]
        if mid > 0:
            f = dl[:, mid] / dd[:, mid - 1]
            dd[:, mid] -= f * du[:, mid - 1]
            x[:, mid] -= f[:, None] * x[:, mid - 1]
        if mid < n - 1:
            f = du[:, mid] / dd[:, mid + 1]
            dd[:, mid] -= f * dl[:, mid + 1]
            x[:, mid] -= f[:, None] * x[:, mid + 1]
        x[:, mid] /= dd[:, mid, None]
        for i in range(mid - 1, -1, -1):
            x[:, i] = (x[:, i] - du[:, i, None] * x[:, i + 1]) / dd[:, i, None]
        for i in range(mid + 1, n):
            x[:, i] = (x[:, i] - dl[:, i, None] * x[:, i - 1]) / dd[:, i, None]
        return x
