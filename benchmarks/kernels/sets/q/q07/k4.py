import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Signed weights turn the three means into one weighted sum over the pairs i < j of the stacked points."""

    def __init__(self, dim, eps):
        super().__init__()
        self.eps = eps
        self.log_scale = nn.Parameter(torch.zeros(dim))

    def forward(self, x, y):
        n, m = x.shape[0], y.shape[0]
        z = torch.cat((x, y))
        z = (z - z.mean(0).detach()) * self.log_scale.exp()
        w = torch.cat((x.new_full((n,), 1.0 / n), y.new_full((m,), -1.0 / m)))
        i, j = torch.triu_indices(n + m, n + m, offset=1, device=x.device)
        d = torch.sqrt((z[i] - z[j]).square().sum(-1) + self.eps)
        diag = (w * w).sum() * self.eps**0.5
        return -2 * (w[i] * w[j] * d).sum() - diag
