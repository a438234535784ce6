import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, channels, groups, eps):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels, eps=eps)
        self.layer_scale = nn.Parameter(torch.ones(channels))

    def forward(self, x):
        n, c, h, w = x.shape
        g = self.norm.num_groups
        cg = c // g
        rows = []
        for b in range(n):
            tiles = []
            for k in range(g):
                sl = slice(k * cg, (k + 1) * cg)
                t = x[b, sl]
                acc = t.double()
                mu = acc.mean()
                d = acc - mu
                inv = torch.rsqrt((d * d).mean() + self.norm.eps)
                z = (d * inv).to(x.dtype)
                z = z * self.norm.weight[sl].view(-1, 1, 1) + self.norm.bias[sl].view(-1, 1, 1)
                tiles.append(t + self.layer_scale[sl].view(-1, 1, 1) * (z * torch.sigmoid(z)))
            rows.append(torch.cat(tiles, 0))
        return torch.stack(rows, 0)
