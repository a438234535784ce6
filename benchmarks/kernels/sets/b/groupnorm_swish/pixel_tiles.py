import torch
import torch.nn as nn

TILE = 64


class ModelNew(nn.Module):
    def __init__(self, groups, channels, eps=1e-5):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels, eps=eps)

    @torch.no_grad()
    def forward(self, x):
        N, C, H, W = x.shape
        G = self.norm.num_groups
        P = H * W
        v = x.reshape(N, C, P)
        grp = x.reshape(N, G, -1).double()
        mean = grp.mean(2)
        rstd = ((grp - mean[..., None]) ** 2).mean(2).add(self.norm.eps).rsqrt()
        mean = mean.float().repeat_interleave(C // G, 1)
        rstd = rstd.float().repeat_interleave(C // G, 1)
        a = rstd * self.norm.weight
        out = torch.empty(N, C, P)
        for tile in range(max(P // TILE, 1)):
            px = slice(tile * TILE, (tile + 1) * TILE)
            y = (v[:, :, px] - mean[..., None]) * a[..., None] + self.norm.bias[:, None]
            out[:, :, px] = y * torch.sigmoid(y)
        return out.view(N, C, H, W)
