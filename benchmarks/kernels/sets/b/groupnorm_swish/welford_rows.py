import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Welford merge over image rows, all groups side by side."""

    def __init__(self, groups, channels, eps=1e-5):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels, eps=eps)

    @torch.no_grad()
    def forward(self, x):
        N, C, H, W = x.shape
        G = self.norm.num_groups
        v = x.reshape(N, G, C // G, H, W)
        cnt = 0
        mean = torch.zeros(N, G, dtype=torch.float64)
        m2 = torch.zeros(N, G, dtype=torch.float64)
        for r in range(H):
            row = v[:, :, :, r].reshape(N, G, -1).double()
            k = row.shape[-1]
            rm = row.mean(-1)
            d = rm - mean
            m2 += (row - rm[..., None]).square().sum(-1) + d * d * (cnt * k / (cnt + k))
            mean += d * (k / (cnt + k))
            cnt += k
        rstd = 1.0 / torch.sqrt(m2 / cnt + self.norm.eps)
        y = ((v.double() - mean[:, :, None, None, None]) * rstd[:, :, None, None, None]).float().reshape(N, C, H, W)
        y = y * self.norm.weight.view(1, C, 1, 1) + self.norm.bias.view(1, C, 1, 1)
        return y * torch.sigmoid(y)
