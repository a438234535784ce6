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
        xp = x.new_zeros(n, ic, h + 2 * p, wd + 2 * p)
        xp[:, :, p:p + h, p:p + wd] = x
        acc = self.bias.expand(oc, ho, wo).unsqueeze(0)
        for r in range(kh):
            for s in range(kw):
                patch = xp[:, :, r:r + ho, s:s + wo]
                acc = acc + torch.einsum("nchw,oc->nohw", patch, w[:, :, r, s])
        return acc * (acc + 3.0).clamp(0.0, 6.0) / 6.0
