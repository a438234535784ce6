import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, kernel_size, stride=None, padding=0, dilation=1):
        super().__init__()
        self.k, self.p, self.d = kernel_size, padding, dilation
        self.s = kernel_size if stride is None else stride

    @torch.no_grad()
    def forward(self, x):
        N, C, H, W = x.shape
        k, s, p, d = self.k, self.s, self.p, self.d
        OH = (H + 2 * p - d * (k - 1) - 1) // s + 1
        OW = (W + 2 * p - d * (k - 1) - 1) // s + 1
        best = torch.full((N, C, OH, OW), float("-inf"))
        arg = torch.zeros(N, C, OH, OW, dtype=torch.int64)
        for i in range(k):
            r = torch.arange(OH) * s - p + i * d
            for j in range(k):
                q = torch.arange(OW) * s - p + j * d
                ok = ((r >= 0) & (r < H))[:, None] & ((q >= 0) & (q < W))[None, :]
                v = x[:, :, r.clamp(0, H - 1)][:, :, :, q.clamp(0, W - 1)]
                take = ok & (v >= best)
                best = torch.where(take, v, best)
                arg = torch.where(take, r[:, None] * W + q[None, :], arg)
        return best, arg
