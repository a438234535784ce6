import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Per-channel causal long convolution with a skip term (Hyena / S4D style):
        y[b, c, t] = skip[c] * u[b, c, t] + sum_{k=0}^{min(t, L_f-1)} weight[c, k] * u[b, c, t - k]

    weight [C, filter_len] and skip [C] are trained and may take any finite values; the filter
    need not decay. filter_len may be smaller or larger than the signal.
    """

    def __init__(self, channels: int, filter_len: int):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(channels, filter_len) / filter_len ** 0.5)
        self.skip = nn.Parameter(torch.randn(channels))

    def forward(self, u: torch.Tensor) -> torch.Tensor:
        """
        Args:
            u: float32 [B, C, L], finite, B >= 1 and L >= 1 arbitrary, any strides (for example a
               transposed [B, L, C] tensor).
        Returns:
            [B, C, L]
        """
        C, n = self.weight.shape
        y = F.conv1d(F.pad(u, (n - 1, 0)), self.weight.flip(1).unsqueeze(1), groups=C)
        return y + self.skip[:, None] * u


BATCH = 2
CHANNELS = 4
LENGTH = 50
FILTER = 12


def get_inputs():
    return [torch.randn(BATCH, CHANNELS, LENGTH)]


def get_init_inputs():
    return [CHANNELS, FILTER]
