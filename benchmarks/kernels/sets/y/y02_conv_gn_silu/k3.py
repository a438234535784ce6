import torch
import torch.nn as nn
import torch.nn.functional as F


class _Base(nn.Module):
    def __init__(self, channels, kernel_size, dilation, groups, eps):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, kernel_size, dilation=dilation,
                              padding=dilation * (kernel_size // 2))
        self.norm = nn.GroupNorm(groups, channels, eps=eps)
        self.ks, self.dil, self.groups, self.eps = kernel_size, dilation, groups, eps


class ModelNew(_Base):
    """Output channels in tiles; the norm is folded into one multiply-add per channel."""

    def forward(self, x):
        N, C, H, W = x.shape
        p = self.dil * (self.ks // 2)
        xp = F.pad(x, (p, p, p, p))
        win = xp.unfold(2, self.dil * (self.ks - 1) + 1, 1).unfold(3, self.dil * (self.ks - 1) + 1, 1)
        win = win[..., ::self.dil, ::self.dil]                  # (N, C, H, W, k, k)
        tiles = []
        for o in range(0, C, 5):
            w = self.conv.weight[o:o + 5]
            tiles.append(torch.einsum("nchwij,ocij->nohw", win, w) + self.conv.bias[o:o + 5, None, None])
        y = torch.cat(tiles, 1)
        g = y.reshape(N, self.groups, -1)
        mean = g.mean(-1)
        var = (g - mean[..., None]).pow(2).mean(-1)
        rstd = (var + self.eps).rsqrt()
        r = C // self.groups
        a = rstd.repeat_interleave(r, 1) * self.norm.weight
        # bias of the folded form is taken around the mean so that nothing cancels
        m = mean.repeat_interleave(r, 1)
        z = (y - m[..., None, None]) * a[..., None, None] + self.norm.bias[:, None, None]
        return x + z * torch.sigmoid(z)
