import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, channels, kernel_size, dilation):
        super().__init__()
        self.conv = nn.Conv1d(channels, channels, kernel_size, groups=channels, dilation=dilation)

    def forward(self, x):
        n, c, l = x.shape
        rows = x.as_strided((n * c, l), (l, 1))         # one row per program id
        w = self.conv.weight[:, 0, :].repeat(n, 1)
        ks, dil = w.shape[1], self.conv.dilation[0]
        acc = self.conv.bias.repeat(n)[:, None] + w[:, -1:] * rows
        for j in range(1, ks):
            sh = j * dil
            if sh < l:
                acc = acc + nn.functional.pad(w[:, ks - 1 - j, None] * rows[:, :l - sh], (sh, 0))
        return (acc * torch.sigmoid(acc)).view(n, c, l)
