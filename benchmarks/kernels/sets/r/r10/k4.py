import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Overlap-add: the signal is cut in blocks, each block is convolved by an unfolded
    product and the tails are added to the blocks that follow."""

    def __init__(self, channels: int, filter_len: int):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(channels, filter_len) / filter_len ** 0.5)
        self.skip = nn.Parameter(torch.randn(channels))
        self.block = 16

    def forward(self, u):
        B, C, L = u.shape
        K = self.weight.shape[1]
        y = F.pad(self.skip[:, None] * u, (0, K - 1))
        flipped = self.weight.flip(1)
        for s in range(0, L, self.block):
            x = F.pad(u[..., s:s + self.block], (K - 1, K - 1))
            part = torch.einsum("bcnk,ck->bcn", x.unfold(-1, K, 1), flipped)
            y = y + F.pad(part, (s, y.shape[-1] - s - part.shape[-1]))
        return y[..., :L]
