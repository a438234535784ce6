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
        xp = torch.zeros(n, c, h + 2 * p, w + 2 * p)
        xp[:, :, p:p + h, p:p + w] = x
        best = xp[:, :, 0:(ho - 1) * s + 1:s, 0:(wo - 1) * s + 1:s]
        for r in range(k):
            for q in range(k):
                best = torch.maximum(best, xp[:, :, r:r + (ho - 1) * s + 1:s, q:q + (wo - 1) * s + 1:s])
        return best
