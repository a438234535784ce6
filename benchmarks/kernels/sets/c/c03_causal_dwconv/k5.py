import numpy as np
import torch
import torch.nn as nn

CHUNK = 128


class ModelNew(nn.Module):
    def __init__(self, channels, kernel_size, dilation):
        super().__init__()
        self.conv = nn.Conv1d(channels, channels, kernel_size, groups=channels, dilation=dilation)

    @torch.no_grad()
    def forward(self, x):
        xs = x.detach().numpy()
        w = self.conv.weight.detach().double().numpy()[:, 0, :]
        b = self.conv.bias.detach().double().numpy()
        ks, dil = w.shape[1], self.conv.dilation[0]
        halo = (ks - 1) * dil
        n, c, l = xs.shape
        out = np.empty((n, c, l), dtype=xs.dtype)
        for t0 in range(0, l, CHUNK):
            t1 = min(l, t0 + CHUNK)
            tile = np.zeros((n, c, halo + t1 - t0))
            lo = max(0, t0 - halo)
            tile[..., halo - (t0 - lo):] = xs[..., lo:t1]
            acc = np.broadcast_to(b[None, :, None], (n, c, t1 - t0)).copy()
            for j in range(ks):
                acc += w[None, :, j, None] * tile[..., j * dil:j * dil + t1 - t0]
            e = np.exp(-np.abs(acc))
            sig = np.where(acc >= 0, 1.0 / (1.0 + e), e / (1.0 + e))
            out[..., t0:t1] = acc * sig
        return torch.from_numpy(out)
