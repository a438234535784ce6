import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Unfolds the padded signal into frames and contracts them with the filter in one matrix-vector product."""

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
        u = x.new_zeros(B, C, T, up)
        u[..., 0] = x
        u = F.pad(u.flatten(2), (K - 1, K - 1))
        frames = u.unfold(-1, K, down)
        return torch.matmul(frames, self.h.flip(0)) * up
