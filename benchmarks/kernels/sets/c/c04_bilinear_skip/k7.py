import torch
import torch.nn as nn


def _axis(n_in, n_out):
    src = (torch.arange(n_out, dtype=torch.float64) + 0.5) * (n_in / n_out) - 0.5
    src = src.clamp_(min=0.0)
    i0 = src.floor().long().clamp_(max=n_in - 1)
    i1 = (i0 + 1).clamp_(max=n_in - 1)
    return i0, i1, src - i0


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.gain = nn.Parameter(torch.rand(channels, 1, 1) + 0.5)

    def forward(self, x, skip):
        ho, wo = skip.shape[-2:]
        y0, y1, fy = _axis(x.shape[-2], ho)
        x0, x1, fx = _axis(x.shape[-1], wo)
        fy = fy.to(x.dtype)[:, None]
        fx = fx.to(x.dtype)
        r0, r1 = x[..., y0, :], x[..., y1, :]
        top = r0[..., x0] * (1 - fx) + r0[..., x1] * fx
        bot = r1[..., x0] * (1 - fx) + r1[..., x1] * fx
        return top * (1 - fy) + bot * fy + self.gain * skip
