import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Linear convolution by FFT in double precision."""

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
        L = T * up + K - 1
        n = 1 << (L - 1).bit_length()
        X = torch.fft.rfft(F.pad(x.double().unsqueeze(-1), (0, up - 1)).reshape(B, C, T * up), n=n)
        Hf = torch.fft.rfft(self.h.double(), n=n)
        v = torch.fft.irfft(X * Hf, n=n)[..., :L]
        return (up * v[..., ::down]).to(x.dtype)
