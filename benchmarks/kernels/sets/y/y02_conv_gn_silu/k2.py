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
    TILE = 128

    def conv_im2col(self, x):
        N, C, H, W = x.shape
        cols = F.unfold(x, self.ks, dilation=self.dil, padding=self.dil * (self.ks // 2))
        return torch.baddbmm(self.conv.bias[None, :, None], self.conv.weight.reshape(1, C, -1).expand(N, -1, -1), cols)

    def group_stats(self, y):
        # Chan's merge of (count, mean, M2) over tiles
        n, mean, m2 = 0, None, None
        for t in y.split(self.TILE, dim=-1):
            nb = t.shape[-1]
            mb = t.mean(-1, keepdim=True)
            sb = (t - mb).square().sum(-1, keepdim=True)
            if n == 0:
                n, mean, m2 = nb, mb, sb
            else:
                d = mb - mean
                tot = n + nb
                mean = mean + d * (nb / tot)
                m2 = m2 + sb + d * d * (n * nb / tot)
                n = tot
        return mean, m2 / n

    def forward(self, x):
        N, C, H, W = x.shape
        y = self.conv_im2col(x).reshape(N, self.groups, -1)
        mean, var = self.group_stats(y)
        z = ((y - mean) * torch.rsqrt(var + self.eps)).reshape(N, C, H, W)
        z = torch.addcmul(self.norm.bias[:, None, None], z, self.norm.weight[:, None, None])
        return torch.addcmul(x, z, torch.sigmoid(z))
