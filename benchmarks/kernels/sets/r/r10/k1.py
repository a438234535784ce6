import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """FFT convolution in double precision, padded to the full linear length."""

    def __init__(self, channels: int, filter_len: int):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(channels, filter_len) / filter_len ** 0.5)
        self.skip = nn.Parameter(torch.randn(channels))

    def forward(self, u):
        L, K = u.shape[-1], self.weight.shape[-1]
        n = L + K - 1
        U = torch.fft.rfft(u.double(), n=n)
        W = torch.fft.rfft(self.weight.double(), n=n)
        y = torch.fft.irfft(U * W, n=n)[..., :L]
        return (y + self.skip.double()[:, None] * u).to(u.dtype)
