import torch
import torch.nn as nn

BATCH = 2
CHANNELS = 3
LENGTH = 200
TAPS = 25
UP = 3
DOWN = 2


class Model(nn.Module):
    """Rational resampler (upfirdn): zero-stuff by `up`, filter with `taps` coefficients, keep every `down`-th.

    forward(x): x is (B, C, T) with B, C, T >= 1 arbitrary (T may be smaller than the filter), any strides,
    float32, or float64 after module.double(). taps, up, down >= 1 are arbitrary; the filter `h` is a parameter
    and may hold any finite values (it is trained; the symmetric initial value is only a start).
      u has length T*up with u[i*up] = x[i], zero elsewhere
      v = full linear convolution of u with h, length T*up + taps - 1:  v[n] = sum_k h[k] u[n - k]
      y[m] = v[m*down] * up, for all m with m*down < T*up + taps - 1
    Returns y (B, C, ceil((T*up + taps - 1) / down)). Differentiable in x and h. The module may be called again
    after the parameters were changed in place (optimiser steps, load_state_dict).
    """

    def __init__(self, taps, up, down):
        super().__init__()
        self.up = up
        self.down = down
        n = torch.arange(taps, dtype=torch.float32) - (taps - 1) / 2
        h = torch.sinc(n / max(up, down)) * torch.hann_window(taps + 2, periodic=False)[1:-1]
        self.h = nn.Parameter(h / h.sum())

    def forward(self, x):
        B, C, T = x.shape
        K = self.h.numel()
        u = x.new_zeros(B, C, T, self.up)
        u[..., 0] = x
        u = u.reshape(B * C, 1, T * self.up)
        v = nn.functional.conv1d(u, self.h.flip(0).view(1, 1, K), padding=K - 1)
        return (v[..., :: self.down] * self.up).reshape(B, C, -1)


def get_inputs():
    return [torch.randn(BATCH, CHANNELS, LENGTH)]


def get_init_inputs():
    return [TAPS, UP, DOWN]
