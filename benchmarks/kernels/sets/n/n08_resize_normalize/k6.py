import math

import torch
import torch.nn as nn


def _cubic(t):
    """Catmull-Rom (a = -1/2), the kernel of the antialiased filter."""
    t = t.abs()
    near = (1.5 * t - 2.5) * t * t + 1.0
    far = ((-0.5 * t + 2.5) * t - 4.0) * t + 2.0
    return torch.where(t < 1, near, torch.where(t < 2, far, torch.zeros_like(t)))


class ModelNew(nn.Module):
    """Strided taps: positions and weights of both axes from one table."""

    def __init__(self, out_h, out_w, clamp=True, mean=(0.485, 0.456, 0.406), std=(0.229, 0.224, 0.225)):
        super().__init__()
        self.out_h = out_h
        self.out_w = out_w
        self.clamp = clamp
        self.register_buffer("mean", torch.tensor(mean).view(1, -1, 1, 1))
        self.register_buffer("std", torch.tensor(std).view(1, -1, 1, 1))

    def _taps(self, n_in, n_out, scale, device):
        wide = max(scale, 1.0)
        c = (torch.arange(n_out, dtype=torch.float64, device=device) + 0.5) * scale
        idx = torch.floor(c - 2 * wide).long()[:, None] + torch.arange(2 * math.ceil(2 * wide) + 1, device=device)
        w = _cubic((idx + 0.5 - c[:, None]) / wide) * ((idx >= 0) & (idx < n_in))
        return idx.clamp(0, n_in - 1), w / w.sum(1, keepdim=True)

    def forward(self, img):
        H, W = img.shape[-2:]
        scale = H / self.out_h
        iy, wy = self._taps(H, self.out_h, scale, img.device)
        ix, wx = self._taps(W, self.out_w, scale, img.device)
        y = (img[:, :, iy] * wy.to(img.dtype)[..., None]).sum(3)
        y = (y[..., ix] * wx.to(img.dtype)).sum(-1)
        if self.clamp:
            y = y.clamp(0, 1)
        return (y - self.mean) / self.std
