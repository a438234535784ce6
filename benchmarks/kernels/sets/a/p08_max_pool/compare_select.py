import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, kernel_size, stride, padding):
        super().__init__()
        self.k, self.s, self.p = kernel_size, stride, padding

    def forward(self, x):
        k, s, p = self.k, self.s, self.p
        n, c, h, w = x.shape
        ho = (h + 2 * p - k) // s + 1
        wo = (w + 2 * p - k) // s + 1
        xp = nn.functional.pad(x, (p, p, p, p), value=float("-inf"))
        best = torch.full((n, c, ho, wo), float("-inf"))
        for r in range(k):
            for q in range(k):
                v = xp[:, :, r:r + (ho - 1) * s + 1:s, q:q + (wo - 1) * s + 1:s]
                best = torch.where(v > best, v, best)
        return best
