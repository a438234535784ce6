import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Transposed convolution (stride = up) gives the interpolated signal, which is then decimated."""

    def __init__(self, taps, up, down):
        super().__init__()
        self.up = up
        self.down = down
        n = torch.arange(taps, dtype=torch.float32) - (taps - 1) / 2
        h = torch.sinc(n / max(up, down)) * torch.hann_window(taps + 2, periodic=False)[1:-1]
        self.h = nn.Parameter(h / h.sum())

    def forward(self, x):
        B, C, T = x.shape
        K, up, down = self.h.numel(), self.up, self.down
        v = F.conv_transpose1d(x.reshape(B * C, 1, T), self.h.view(1, 1, K), stride=up)
        v = F.pad(v, (0, up - 1))
        return v[..., ::down].reshape(B, C, -1).mul(up)
