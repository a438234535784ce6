import torch
import torch.nn as nn


class ModelNew(nn.Module):
    TILE = 300

    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size, padding=kernel_size // 2, bias=False)
        self.bias = nn.Parameter(torch.zeros(out_channels, 1, 1))

    @torch.no_grad()
    def forward(self, x):
        w = self.conv.weight
        oc, ic, kh, kw = w.shape
        n, _, h, wd = x.shape
        p = kh // 2
        hp, wp = h + 2 * p, wd + 2 * p
        ho, wo = hp - kh + 1, wp - kw + 1
        xp = torch.zeros(n, ic, hp, wp)
        xp[:, :, p:p + h, p:p + wd].copy_(x)
        cols = xp.as_strided((n, ho, wo, ic, kh, kw), (ic * hp * wp, wp, 1, hp * wp, wp, 1))
        cols = cols.reshape(n * ho * wo, ic * kh * kw)
        wt = w.reshape(oc, -1).t().contiguous()
        out = torch.empty(n * ho * wo, oc)
        for i in range(0, cols.shape[0], self.TILE):
            z = cols[i:i + self.TILE] @ wt
            z += self.bias.view(1, oc)
            out[i:i + self.TILE] = z * torch.clamp(z + 3, min=0, max=6) / 6
        return out.view(n, ho, wo, oc).permute(0, 3, 1, 2).contiguous()
