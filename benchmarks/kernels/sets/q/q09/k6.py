import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Chunked Chan combination of (count, mean, M2) over the batch rows, then one normalisation pass."""

    def __init__(self, channels, momentum, eps):
        super().__init__()
        self.momentum = momentum
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))
        self.register_buffer("running_mean", torch.zeros(channels))
        self.register_buffer("running_var", torch.ones(channels))
        self.register_buffer("num_batches_tracked", torch.zeros((), dtype=torch.long))

    def forward(self, x, mask):
        m = mask.unsqueeze(-1)
        if self.training:
            n, mean, m2 = 0, None, None
            for row, keep in zip(x, mask):
                r = row[keep]
                k = r.shape[0]
                if k == 0:
                    continue
                mu = r.mean(0)
                s = (r - mu).square().sum(0)
                if n == 0:
                    n, mean, m2 = k, mu, s
                    continue
                d = mu - mean
                t = n + k
                mean = mean + d * (k / t)
                m2 = m2 + s + d * d * (n * k / t)
                n = t
            if n == 0:
                return torch.zeros_like(x) + 0 * self.weight
            with torch.no_grad():
                self.running_mean.lerp_(mean, self.momentum)
                self.running_var.lerp_(m2 / max(n - 1, 1), self.momentum)
                self.num_batches_tracked += 1
            var = m2 / n
        else:
            mean, var = self.running_mean, self.running_var
        xz = torch.where(m, x, mean.detach())
        y = (xz - mean) * ((var + self.eps).rsqrt() * self.weight) + self.bias
        return torch.where(m, y, torch.zeros_like(y))
