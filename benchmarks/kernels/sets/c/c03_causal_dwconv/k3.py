import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, channels, kernel_size, dilation):
        super().__init__()
        self.conv = nn.Conv1d(channels, channels, kernel_size, groups=channels, dilation=dilation)

    def forward(self, x):
        w = self.conv.weight[:, 0, :]
        ks, dil = w.shape[1], self.conv.dilation[0]
        l = x.shape[-1]
        acc = self.conv.bias.view(1, -1, 1) + w[:, ks - 1].view(1, -1, 1) * x
        for j in range(1, ks):
            sh = j * dil
            if sh >= l:
                break
            contrib = w[:, ks - 1 - j].view(1, -1, 1) * x[..., :l - sh]
            acc = acc + torch.cat([torch.zeros_like(x[..., :sh]), contrib], dim=-1)
        return acc * torch.sigmoid(acc)
