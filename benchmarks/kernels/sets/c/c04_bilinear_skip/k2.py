import torch
import torch.nn as nn


def _axis(n_in, n_out, dtype):
    src = (torch.arange(n_out, dtype=dtype) + 0.5) * (n_in / n_out) - 0.5
    i0 = src.floor().long().clamp(0, n_in - 2)
    return i0, i0 + 1, src - i0


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.gain = nn.Parameter(torch.rand(channels, 1, 1) + 0.5)

    def forward(self, x, skip):
        y0, y1, fy = _axis(x.shape[-2], skip.shape[-2], x.dtype)
        x0, x1, fx = _axis(x.shape[-1], skip.shape[-1], x.dtype)
        fy = fy[:, None].clamp(max=1.0)
        fx = fx.clamp(max=1.0)
        rows = x[..., y0, :] + (x[..., y1, :] - x[..., y0, :]) * fy
        up = rows[..., x0] + (rows[..., x1] - rows[..., x0]) * fx
        return up + self.gain * skip
