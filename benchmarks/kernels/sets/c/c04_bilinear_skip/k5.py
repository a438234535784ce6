import numpy as np
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.gain = nn.Parameter(torch.rand(channels, 1, 1) + 0.5)

    @torch.no_grad()
    def forward(self, x, skip):
        a = x.detach().numpy()
        sk = skip.detach().numpy()
        g = self.gain.detach().double().numpy()
        n, c, h, w = a.shape
        ho, wo = sk.shape[-2:]
        out = np.empty((n, c, ho, wo), dtype=a.dtype)
        xs = np.maximum((np.arange(wo) + 0.5) * w / wo - 0.5, 0.0)
        x0 = np.minimum(xs.astype(np.int64), w - 1)
        x1 = np.minimum(x0 + 1, w - 1)
        lx = xs - x0
        for o in range(ho):
            ys = max((o + 0.5) * h / ho - 0.5, 0.0)
            y0 = min(int(ys), h - 1)
            y1 = min(y0 + 1, h - 1)
            ly = ys - y0
            row = a[:, :, y0].astype(np.float64) * (1 - ly) + a[:, :, y1].astype(np.float64) * ly
            out[:, :, o] = row[..., x0] * (1 - lx) + row[..., x1] * lx + g[:, :, 0] * sk[:, :, o]
        return torch.from_numpy(out)
