import torch
import torch.nn as nn

_TABLES = {}


def _axis(n_in, n_out):
    if n_out not in _TABLES:
        src = ((torch.arange(n_out, dtype=torch.float64) + 0.5) * (n_in / n_out) - 0.5).clamp_(min=0.0)
        i0 = src.floor().long().clamp_(max=n_in - 1)
        _TABLES[n_out] = (i0, (i0 + 1).clamp_(max=n_in - 1), src - i0)
    return _TABLES[n_out]


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.gain = nn.Parameter(torch.rand(channels, 1, 1) + 0.5)

    def forward(self, x, skip):
        y0, y1, fy = _axis(x.shape[-2], skip.shape[-2])
        x0, x1, fx = _axis(x.shape[-1], skip.shape[-1])
        fy = fy.to(x.dtype)[:, None]
        fx = fx.to(x.dtype)
        a = torch.lerp(x[..., y0, :], x[..., y1, :], fy.expand(-1, x.shape[-1]))
        up = a[..., x0] * (1 - fx) + a[..., x1] * fx
        return up + self.gain * skip
