import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.gain = nn.Parameter(torch.rand(channels, 1, 1) + 0.5)

    @staticmethod
    def _axis(n_in, n_out):
        src = ((torch.arange(n_out) + 0.5) * (n_in / n_out) - 0.5).clamp(min=0.0)
        lo = src.floor().long().clamp(max=n_in - 1)
        hi = (lo + 1).clamp(max=n_in - 1)
        frac = (src - lo).to(torch.float16)
        return lo, hi, frac

    def forward(self, x, skip):
        ylo, yhi, fy = self._axis(x.shape[-2], skip.shape[-2])
        xlo, xhi, fx = self._axis(x.shape[-1], skip.shape[-1])
        fy = fy.unsqueeze(1)
        v = x.index_select(2, ylo) * (1 - fy).to(x.dtype) + x.index_select(2, yhi) * fy.to(x.dtype)
        v = v.index_select(3, xlo) * (1 - fx).to(x.dtype) + v.index_select(3, xhi) * fx.to(x.dtype)
        return v + self.gain * skip
