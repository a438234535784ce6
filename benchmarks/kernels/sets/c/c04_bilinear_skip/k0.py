import torch
import torch.nn as nn

INV_SCALE = 0.4


def _axis(n_in, n_out):
    src = ((torch.arange(n_out, dtype=torch.float64) + 0.5) * INV_SCALE - 0.5).clamp_(0.0, n_in - 1.0)
    i0 = src.floor().long()
    i1 = (i0 + 1).clamp_(max=n_in - 1)
    return i0, i1, src - i0


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.gain = nn.Parameter(torch.rand(channels, 1, 1) + 0.5)

    def forward(self, x, skip):
        y0, y1, fy = _axis(x.shape[-2], skip.shape[-2])
        x0, x1, fx = _axis(x.shape[-1], skip.shape[-1])
        fy = fy.to(x.dtype)[:, None]
        fx = fx.to(x.dtype)
        rows = x[..., y0, :] * (1 - fy) + x[..., y1, :] * fy
        return rows[..., x0] * (1 - fx) + rows[..., x1] * fx + self.gain * skip
