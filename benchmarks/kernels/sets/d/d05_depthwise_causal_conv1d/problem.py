import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """
    Depthwise causal 1D convolution (with bias) followed by SiLU, as in state-space blocks.
    """

    def __init__(self, channels: int, kernel_size: int, dilation: int):
        super(Model, self).__init__()
        self.left = (kernel_size - 1) * dilation
        self.conv = nn.Conv1d(channels, channels, kernel_size, dilation=dilation, groups=channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """
        Args:
            x: float32 tensor (batch_size, channels, length).
        Returns:
            float32 tensor of the same shape.
        """
        return F.silu(self.conv(F.pad(x, (self.left, 0))))


batch_size = 4
channels = 48
length = 256
kernel_size = 4
dilation = 1


def get_inputs():
    return [torch.randn(batch_size, channels, length)]


def get_init_inputs():
    return [channels, kernel_size, dilation]
