import torch
import torch.nn as nn

TILE = 512


class ModelNew(nn.Module):
    def __init__(self, channels, groups, eps):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels, eps=eps)
        self.layer_scale = nn.Parameter(torch.ones(channels))

    def forward(self, x):
        n, c, h, w = x.shape
        g = self.norm.num_groups
        flat = x.reshape(n * g, (c // g) * h * w)
        m = flat.shape[1]
        cnt = 0
        mean = flat.new_zeros(n * g, 1)
        m2 = flat.new_zeros(n * g, 1)
        for s in range(0, m, TILE):
            t = flat[:, s:s + TILE]
            k = t.shape[1]
            tm = t.mean(1, keepdim=True)
            tm2 = (t - tm).pow(2).sum(1, keepdim=True)
            delta = tm - mean
            tot = cnt + k
            mean = mean + delta * (k / tot)
            m2 = m2 + tm2 + delta * delta * (cnt * k / tot)
            cnt = tot
        inv = torch.rsqrt(m2 / m + self.norm.eps)
        z = ((flat - mean) * inv).reshape(n, c, h, w)
        z = torch.addcmul(self.norm.bias.view(1, c, 1, 1), z, self.norm.weight.view(1, c, 1, 1))
        return torch.addcmul(x, self.layer_scale.view(1, c, 1, 1), z * torch.sigmoid(z))
