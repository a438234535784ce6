import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Dense two-pass statistics with contractions against the mask."""

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
        w = mask.to(torch.float64)
        xz = x.masked_fill(~m, 0.0)
        if self.training:
            n = int(mask.sum())
            if n == 0:
                return xz * (0 * self.weight)
            xd = xz.double()
            mean = torch.einsum("bt,btc->c", w, xd) / n
            c = xd - mean
            ss = torch.einsum("bt,btc,btc->c", w, c, c)
            with torch.no_grad():
                self.running_mean += self.momentum * (mean.float() - self.running_mean)
                self.running_var += self.momentum * ((ss / max(n - 1, 1)).float() - self.running_var)
                self.num_batches_tracked += 1
            y = (c * torch.rsqrt(ss / n + self.eps)).float()
        else:
            y = (xz - self.running_mean) / (self.running_var + self.eps).sqrt()
        return torch.addcmul(self.bias, y, self.weight).masked_fill(~m, 0.0)
