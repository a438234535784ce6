import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Convolution theorem in double precision; the length is chosen so that nothing wraps around."""

    def __init__(self, dim, width, activation=True):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(dim, width) * width ** -0.5)
        self.bias = nn.Parameter(torch.zeros(dim))
        self.activation = activation

    def forward(self, x, state):
        W = self.weight.shape[1]
        L = x.shape[-1]
        full = torch.cat([state, x], -1)
        n = full.shape[-1] + W - 1
        fx = torch.fft.rfft(full.double(), n)
        fw = torch.fft.rfft(self.weight.double().flip(1), n)
        y = torch.fft.irfft(fx * fw, n)[..., W - 1:W - 1 + L] + self.bias.double()[:, None]
        y = y.to(x.dtype)
        if self.activation:
            y = nn.functional.silu(y)
        return y, full[..., L:]
