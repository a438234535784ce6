import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Fused epilogue with its own keep mask."""

    def __init__(self, in_features, out_features, p, slope):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(out_features, in_features) * in_features ** -0.5)
        self.bias = nn.Parameter(torch.zeros(out_features))
        self.register_buffer('u', F.normalize(torch.randn(out_features), dim=0))
        self.p = p
        self.slope = slope

    def forward(self, x):
        with torch.no_grad():
            v = F.normalize(self.weight.t() @ self.u, dim=0)
            u = self.u.clone()
            if self.training:
                u = F.normalize(self.weight @ v, dim=0)
                self.u.copy_(u)
        sigma = torch.dot(u, self.weight @ v)
        y = torch.addcmul(self.bias, x @ self.weight.t(), 1.0 / sigma)
        y = F.leaky_relu(y, self.slope)
        if self.training and self.p > 0:
            keep = torch.rand_like(y) >= self.p
            y = y * keep / (1.0 - self.p)
        return y
