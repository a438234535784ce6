import torch
import torch.nn as nn

class ModelNew(nn.Module):
    def __init__(self, num_channels, num_groups, eps=1e-5, act=True):
        super().__init__()
        self.num_channels = num_channels
        self.num_groups = num_groups
        self.eps = eps
        self.act = act
        self.weight = nn.Parameter(1 + 0.1 * torch.randn(num_channels))
        self.bias = nn.Parameter(0.1 * torch.randn(num_channels))

    def forward(self, x, residual):
        h = x + residual
        N, C = h.shape[:2]
        if h.numel() == 0:
            return h.clone(), h
        f = h.float().reshape(N, self.num_groups, -1)
        mean = f.mean(2, keepdim=True)
        cen = f - mean
        inv = (cen.square().mean(2, keepdim=True) + self.eps).rsqrt()
        y = (cen * inv).reshape(N, C, -1)
        y = torch.addcmul(self.bias.detach()[:, None], y, self.weight.detach()[:, None])
        if self.act:
            y = torch.nn.functional.silu(y)
        return y.reshape(h.shape).to(x.dtype), h
