import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Double-precision GEMM formulation after moving the origin to the common mean."""

    def __init__(self, dim, eps):
        super().__init__()
        self.eps = eps
        self.log_scale = nn.Parameter(torch.zeros(dim))

    def forward(self, x, y):
        n = x.shape[0]
        z = torch.cat((x, y)).double()
        z = (z - z.mean(0).detach()) * self.log_scale.double().exp()
        sq = z.square().sum(-1)
        d2 = (sq[:, None] + sq[None, :] - 2 * (z @ z.t())).clamp_min(0.0)
        d = torch.sqrt(d2 + self.eps)
        loss = 2 * d[:n, n:].mean() - d[:n, :n].mean() - d[n:, n:].mean()
        return loss.to(x.dtype)
