import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, channels, kernel_size, dilation):
        super().__init__()
        self.conv = nn.Conv1d(channels, channels, kernel_size, groups=channels, dilation=dilation)

    def forward(self, x):
        w = self.conv.weight.squeeze(1)
        ks = w.shape[1]
        n, c, l = x.shape
        xp = torch.cat([x.new_zeros(n, c, ks - 1), x], dim=-1)
        win = xp.unfold(-1, ks, 1)                       # (n, c, l, ks)
        acc = torch.einsum("nclk,ck->ncl", win, w) + self.conv.bias[None, :, None]
        return acc * torch.sigmoid(acc)
