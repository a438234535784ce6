import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Single-precision FFT convolution, zero padded to twice the longer operand."""

    def __init__(self, channels: int, filter_len: int):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(channels, filter_len) / filter_len ** 0.5)
        self.skip = nn.Parameter(torch.randn(channels))

    def forward(self, u):
        L, K = u.shape[-1], self.weight.shape[-1]
        n = 2 * max(L, K)
        y = torch.fft.irfft(torch.fft.rfft(u, n=n) * torch.fft.rfft(self.weight, n=n), n=n)[..., :L]
        return y + self.skip[:, None] * u
