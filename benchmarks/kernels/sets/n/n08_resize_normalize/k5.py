import torch
import torch.nn as nn


def _cubic(t):
    """Catmull-Rom (a = -1/2), the kernel of the antialiased filter."""
    t = t.abs()
    near = (1.5 * t - 2.5) * t * t + 1.0
    far = ((-0.5 * t + 2.5) * t - 4.0) * t + 2.0
    return torch.where(t < 1, near, torch.where(t < 2, far, torch.zeros_like(t)))


def _matrix(n_in, n_out, device):
    scale = n_in / n_out
    c = (torch.arange(n_out, dtype=torch.float64, device=device) + 0.5) * scale
    j = torch.arange(n_in, dtype=torch.float64, device=device) + 0.5
    # the kernel is stretched by the scale factor
    w = _cubic((j[None, :] - c[:, None]) / scale)
    return w / w.sum(1, keepdim=True)


class ModelNew(nn.Module):
    """The separable filter as two GEMMs with dense weight matrices."""

    def __init__(self, out_h, out_w, clamp=True, mean=(0.485, 0.456, 0.406), std=(0.229, 0.224, 0.225)):
        super().__init__()
        self.out_h = out_h
        self.out_w = out_w
        self.clamp = clamp
        self.register_buffer("mean", torch.tensor(mean).view(1, -1, 1, 1))
        self.register_buffer("std", torch.tensor(std).view(1, -1, 1, 1))

    def forward(self, img):
        wy = _matrix(img.shape[-2], self.out_h, img.device).to(img.dtype)
        wx = _matrix(img.shape[-1], self.out_w, img.device).to(img.dtype)
        y = wy @ img @ wx.t()
        if self.clamp:
            y = y.clamp(0.0, 1.0)
        return (y - self.mean) / self.std
