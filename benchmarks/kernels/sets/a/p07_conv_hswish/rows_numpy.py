import numpy as np
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size, padding=kernel_size // 2, bias=False)
        self.bias = nn.Parameter(torch.zeros(out_channels, 1, 1))

    def forward(self, x):
        w = self.conv.weight.detach().double().numpy()
        b = self.bias.detach().double().numpy()[:, 0, 0]
        xn = x.detach().double().numpy()
        oc, ic, kh, kw = w.shape
        n, _, h, wd = xn.shape
        p = kh // 2
        ho, wo = h + 2 * p - kh + 1, wd + 2 * p - kw + 1
        out = np.empty((n, oc, ho, wo), dtype=np.float32)
        for y in range(ho):
            acc = np.zeros((n, oc, wo)) + b[None, :, None]
            for r in range(kh):
                src = y + r - p
                if src < 0 or src >= h:
                    continue
                row = np.zeros((n, ic, wd + 2 * p))
                row[:, :, p:p + wd] = xn[:, :, src]
                for s in range(kw):
                    acc += np.matmul(w[:, :, r, s], row[:, :, s:s + wo])
            out[:, :, y] = acc * np.clip(acc + 3.0, 0.0, 6.0) / 6.0
        return torch.from_numpy(out)
