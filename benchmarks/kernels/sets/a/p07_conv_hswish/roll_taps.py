import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size, padding=kernel_size // 2, bias=False)
        self.bias = nn.Parameter(torch.zeros(out_channels, 1, 1))

    def forward(self, x):
        w = self.conv.weight
        kh, kw = w.shape[2:]
        p = kh // 2
        acc = self.bias.unsqueeze(0)
        for r in range(kh):
            for s in range(kw):
                moved = torch.roll(x, shifts=(p - r, p - s), dims=(2, 3))
                acc = acc + torch.einsum("nchw,oc->nohw", moved, w[:, :, r, s])
        return acc * (acc + 3.0).clamp(0.0, 6.0) / 6.0
