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
    wide = max(scale, 1.0)
    c = (torch.arange(n_out, dtype=torch.float64, device=device) + 0.5) * scale
    j = torch.arange(n_in, dtype=torch.float64, device=device) + 0.5
    w = _cubic((j[None, :] - c[:, None]) / wide)
    return w / w.sum(1, keepdim=True)


class ModelNew(nn.Module):
    """One einsum over both axes, and the normalisation as a fused multiply-add; clamping in normalised units."""

    def __init__(self, out_h, out_w, clamp=True, mean=(0.485, 0.456, 0.406), std=(0.229, 0.224, 0.225)):
        super().__init__()
        self.out_h = out_h
        self.out_w = out_w
        self.clamp = clamp
        self.register_buffer("mean", torch.tensor(mean).view(1, -1, 1, 1))
        self.register_buffer("std", torch.tensor(std).view(1, -1, 1, 1))

    def forward(self, img):
        wy = _matrix(img.shape[-2], self.out_h, img.device)
        wx = _matrix(img.shape[-1], self.out_w, img.device)
        y = torch.einsum("oh,bchw,pw->bcop", wy, img.double(), wx)
        gain = 1.0 / self.std.double()
        shift = -self.mean.double() * gain
        y = y * gain + shift
        if self.clamp:
            # std may be negative in principle: order the bounds
            a, b = shift, shift + gain
            y = torch.minimum(torch.maximum(y, torch.minimum(a, b)), torch.maximum(a, b))
        return y.to(img.dtype)
