import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, in_channels: int, out_channels: int, kernel_size: int, squeeze: int):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size, padding=kernel_size // 2,
                              padding_mode="circular")
        self.bn = nn.BatchNorm2d(out_channels)
        self.fc1 = nn.Linear(out_channels, squeeze)
        self.fc2 = nn.Linear(squeeze, out_channels)

    def _gate(self, y):
        a = y.mean(dim=(2, 3))
        a = torch.sigmoid(self.fc2(F.relu(self.fc1(a))))
        return y * a[:, :, None, None]

    def forward(self, x):
        y = self.bn(self.conv(x))
        # Mish with a single exponential: tanh(log(1 + e)) = (e^2 + 2e) / (e^2 + 2e + 2)
        e = torch.exp(y)
        n = e * (e + 2.0)
        return self._gate(y * (n / (n + 2.0)))
