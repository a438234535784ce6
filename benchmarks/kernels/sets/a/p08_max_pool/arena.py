import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Output arena is allocated once per shape."""

    def __init__(self, kernel_size, stride, padding):
        super().__init__()
        self.k, self.s, self.p = kernel_size, stride, padding
        self._arena = {}

    @torch.no_grad()
    def forward(self, x):
        k, s, p = self.k, self.s, self.p
        n, c, h, w = x.shape
        ho = (h + 2 * p - k) // s + 1
        wo = (w + 2 * p - k) // s + 1
        key = (n, c, ho, wo)
        if key not in self._arena:
            self._arena[key] = torch.empty(key)
        out = self._arena[key]
        out.fill_(float("-inf"))
        xp = nn.functional.pad(x, (p, p, p, p), value=float("-inf"))
        for r in range(k):
            for q in range(k):
                v = xp[:, :, r:r + (ho - 1) * s + 1:s, q:q + (wo - 1) * s + 1:s]
                torch.maximum(out, v, out=out)
        return out
