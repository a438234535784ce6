import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Two output columns per step (vector width 2)."""

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
        ho, wo = h + 2 * p - kh + 1, wd + 2 * p - kw + 1
        xp = nn.functional.pad(x, (p, p, p, p))
        out = torch.zeros(n, oc, ho, wo)
        for v in range(0, wo - 1, 2):
            acc = torch.zeros(n, oc, ho, 2) + self.bias
            for r in range(kh):
                for s in range(kw):
                    acc += torch.einsum("nchw,oc->nohw", xp[:, :, r:r + ho, v + s:v + s + 2], w[:, :, r, s])
            out[..., v:v + 2] = acc * torch.clamp(acc + 3, 0, 6) / 6
        return out
