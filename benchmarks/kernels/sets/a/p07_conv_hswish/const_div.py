import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size, padding=kernel_size // 2, bias=False)
        self.bias = nn.Parameter(torch.zeros(out_channels, 1, 1))

    def forward(self, x):
        w = self.conv.weight
        oc, ic, kh, kw = w.shape
        n, _, h, wd = x.shape
        p = kh // 2
        ho, wo = h + 2 * p - kh + 1, wd + 2 * p - kw + 1
        cols = nn.functional.unfold(x, (kh, kw), padding=p)
        z = torch.matmul(w.view(oc, -1), cols).view(n, oc, ho, wo) + self.bias
        return z * torch.clamp(z + 3.0, 0.0, 6.0) * 0.1667
