import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """
    Rational resampling of signals as in scipy.signal.upfirdn: insert up - 1 zeros between samples,
    convolve (full, causal order: a true convolution) with the FIR filter h, keep every down-th sample.

    x: float32 [B, C, T], T >= 1, any strides. up, down, num_taps: any integers >= 1 (there may be
    fewer taps than up, or many more).
    h is a buffer [num_taps]; the constructor fills it with a windowed sinc, checkpoints load arbitrary
    filters (minimum phase ones too).
    Returns float32 [B, C, ceil(((T - 1) * up + num_taps) / down)].
    """

    def __init__(self, up, down, num_taps):
        super().__init__()
        self.up = up
        self.down = down
        self.num_taps = num_taps
        cutoff = 1.0 / max(up, down)
        t = torch.arange(num_taps, dtype=torch.float64) - (num_taps - 1) / 2
        h = torch.sinc(t * cutoff) * cutoff * up
        h = h * torch.hamming_window(num_taps, periodic=False, dtype=torch.float64)
        self.register_buffer("h", h.float())

    def forward(self, x):
        B, C, T = x.shape
        K = self.num_taps
        stuffed = x.new_zeros(B * C, 1, (T - 1) * self.up + 1)
        stuffed[:, 0, :: self.up] = x.reshape(B * C, T)
        full = F.conv1d(F.pad(stuffed, (K - 1, K - 1)), self.h.flip(0)[None, None])
        return full[:, 0, :: self.down].reshape(B, C, -1)


def get_inputs():
    return [torch.randn(4, 2, 256)]


def get_init_inputs():
    return [3, 2, 51]
