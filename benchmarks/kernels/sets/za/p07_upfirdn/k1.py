import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, up, down, num_taps):
        super().__init__()
        self.up, self.down, self.num_taps = up, down, num_taps
        cutoff = 1.0 / max(up, down)
        t = torch.arange(num_taps, dtype=torch.float64) - (num_taps - 1) / 2
        h = torch.sinc(t * cutoff) * cutoff * up
        h = h * torch.hamming_window(num_taps, periodic=False, dtype=torch.float64)
        self.register_buffer("h", h.float())

    def forward(self, x):
        B, C, T = x.shape
        y = F.conv_transpose1d(x.reshape(B * C, 1, T), self.h.view(1, 1, -1), stride=self.up)
        return y[..., :: self.down].reshape(B, C, -1)
