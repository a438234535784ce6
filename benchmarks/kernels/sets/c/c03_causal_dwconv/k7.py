import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, channels, kernel_size, dilation):
        super().__init__()
        self.conv = nn.Conv1d(channels, channels, kernel_size, groups=channels, dilation=dilation)

    def forward(self, x):
        w = self.conv.weight[:, 0, :]
        ks, dil = w.shape[1], self.conv.dilation[0]
        n, c, l = x.shape
        xp = torch.cat([x.new_zeros(n, c, (ks - 1) * dil), x], dim=-1)
        acc = self.conv.bias.view(1, c, 1)
        for j in range(ks):
            acc = acc + w[:, j].view(1, c, 1) * xp[..., j * dil:j * dil + l]
        e = torch.exp(acc)
        return acc * e / (1.0 + e)
