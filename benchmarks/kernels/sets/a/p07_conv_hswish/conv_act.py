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
        xp = nn.functional.pad(x, (p, p, p, p))
        acc = x.new_zeros(n, oc, ho, wo)
        for r in range(kh):
            for s in range(kw):
                acc = acc + torch.einsum("nchw,oc->nohw", xp[:, :, r:r + ho, s:s + wo], w[:, :, r, s])
        return acc * (acc + 3.0).clamp(0.0, 6.0) / 6.0
