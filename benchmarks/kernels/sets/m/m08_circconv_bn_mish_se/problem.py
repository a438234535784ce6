import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """
    Convolution with wrap-around borders, batch normalisation, Mish and a
    squeeze-and-excitation gate.
    """

    def __init__(self, in_channels: int, out_channels: int, kernel_size: int, squeeze: int):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size, padding=kernel_size // 2,
                              padding_mode="circular")
        self.bn = nn.BatchNorm2d(out_channels)
        self.fc1 = nn.Linear(out_channels, squeeze)
        self.fc2 = nn.Linear(squeeze, out_channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """
        x: (B, in_channels, H, W), finite; kernel_size is odd
        """
        y = F.mish(self.bn(self.conv(x)))
        a = y.mean(dim=(2, 3))
        a = torch.sigmoid(self.fc2(F.relu(self.fc1(a))))
        return y * a[:, :, None, None]


batch_size = 4
in_channels = 6
out_channels = 12
height, width = 16, 16
kernel_size = 3
squeeze = 4


def get_inputs():
    return [torch.randn(batch_size, in_channels, height, width)]


def get_init_inputs():
    return [in_channels, out_channels, kernel_size, squeeze]
