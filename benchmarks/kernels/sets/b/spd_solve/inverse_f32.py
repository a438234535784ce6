import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Explicit inverse by Gauss-Jordan in float32 (no pivoting: A is positive definite), then a product."""

    @torch.no_grad()
    def forward(self, A, B):
        bs, n, _ = A.shape
        m = torch.cat([A, torch.eye(n).expand(bs, n, n)], dim=2)
        for c in range(n):
            row = m[:, c:c + 1] / m[:, c:c + 1, c:c + 1]
            m = m - m[:, :, c:c + 1] * row
            m[:, c:c + 1] = row
        return m[:, :, n:] @ B
