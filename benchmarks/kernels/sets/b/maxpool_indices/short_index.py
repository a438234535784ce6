import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Carries value and a 16-bit position through the sweep."""

    def __init__(self, kernel_size, stride=None, padding=0, dilation=1):
        super().__init__()
        self.k, self.p, self.d = kernel_size, padding, dilation
        self.s = kernel_size if stride is None else stride

    @torch.no_grad()
    def forward(self, x):
        N, C, H, W = x.shape
        k, s, p, d = self.k, self.s, self.p, self.d
        big = torch.full((N, C, H + 2 * p, W + 2 * p), float("-inf"))
        big[:, :, p:p + H, p:p + W] = x
        pos = torch.zeros(H + 2 * p, W + 2 * p, dtype=torch.int16)
        pos[p:p + H, p:p + W] = torch.arange(H * W).view(H, W).to(torch.int16)
        OH = (H + 2 * p - d * (k - 1) - 1) // s + 1
        OW = (W + 2 * p - d * (k - 1) - 1) // s + 1
        best = torch.full((N, C, OH, OW), float("-inf"))
        arg = torch.zeros(N, C, OH, OW, dtype=torch.int16)
        for i in range(0, k * d, d):
            for j in range(0, k * d, d):
                rs, cs = slice(i, i + (OH - 1) * s + 1, s), slice(j, j + (OW - 1) * s + 1, s)
                take = big[:, :, rs, cs] > best
                best = torch.where(take, big[:, :, rs, cs], best)
                arg = torch.where(take, pos[rs, cs], arg)
        return best, arg.long()
