import math

import torch
import torch.nn as nn


def _cubic(t):
    """Catmull-Rom (a = -1/2), the kernel of the antialiased filter."""
    t = t.abs()
    near = (1.5 * t - 2.5) * t * t + 1.0
    far = ((-0.5 * t + 2.5) * t - 4.0) * t + 2.0
    return torch.where(t < 1, near, torch.where(t < 2, far, torch.zeros_like(t)))


def _taps(n_in, n_out, device):
    """Index and weight tables [n_out, taps]; taps outside of the image get weight zero before normalising."""
    scale = n_in / n_out
    wide = max(scale, 1.0)
    taps = 2 * math.ceil(2 * wide) + 1
    c = (torch.arange(n_out, dtype=torch.float64, device=device) + 0.5) * scale
    first = torch.floor(c - 2 * wide).long()
    idx = first[:, None] + torch.arange(taps, device=device)
    w = _cubic((idx + 0.5 - c[:, None]) / wide)
    w = w * ((idx >= 0) & (idx < n_in))
    return idx.clamp(0, n_in - 1), w / w.sum(1, keepdim=True)


class ModelNew(nn.Module):
    """Gather formulation, rows first. Tap tables are cached for each pair of sizes."""

    def __init__(self, out_h, out_w, clamp=True, mean=(0.485, 0.456, 0.406), std=(0.229, 0.224, 0.225)):
        super().__init__()
        self.out_h = out_h
        self.out_w = out_w
        self.clamp = clamp
        self.register_buffer("mean", torch.tensor(mean).view(1, -1, 1, 1))
        self.register_buffer("std", torch.tensor(std).view(1, -1, 1, 1))
        self._tables = {}

    def _get(self, n_in, n_out, img):
        key = (n_in, n_out, img.device, img.dtype)
        if key not in self._tables:
            i, w = _taps(n_in, n_out, img.device)
            self._tables[key] = (i, w.to(img.dtype))
        return self._tables[key]

    def forward(self, img):
        iy, wy = self._get(img.shape[2], self.out_h, img)
        ix, wx = self._get(img.shape[3], self.out_w, img)
        y = 0
        for k in range(iy.shape[1]):
            y = y + img[:, :, iy[:, k], :] * wy[:, k, None]
        o = 0
        for k in range(ix.shape[1]):
            o = o + y[..., ix[:, k]] * wx[:, k]
        if self.clamp:
            o = torch.minimum(torch.maximum(o, o.new_zeros(())), o.new_ones(()))
        return (o - self.mean) / self.std
