import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Squared distances through one GEMM on the stacked points."""

    def __init__(self, dim, eps):
        super().__init__()
        self.eps = eps
        self.log_scale = nn.Parameter(torch.zeros(dim))

    def forward(self, x, y):
        n, m = x.shape[0], y.shape[0]
        z = torch.cat((x, y)) * self.log_scale.exp()
        sq = (z * z).sum(-1)
        d2 = torch.addmm(sq[:, None] + sq[None, :], z, z.t(), alpha=-2.0).clamp(min=0.0)
        d = torch.sqrt(d2 + self.eps)
        return 2 * d[:n, n:].mean() - d[:n, :n].mean() - d[n:, n:].mean()
