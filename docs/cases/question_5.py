import torch
from torch import nn


class ConvLinearModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 16, kernel_size=3, stride=1, padding=1)
        self.conv2 = nn.Conv2d(16, 32, kernel_size=3, stride=1, padding=1)
        self.fc1 = nn.Linear(32 * 8 * 8, 512)
        self.fc2 = nn.Linear(512, 10)

    def forward(self, x):
        x = torch.relu(self.conv1(x))
        x = torch.relu(self.conv2(x))
        x = x.view(x.size(0), -1)
        x = torch.relu(self.fc1(x))
        return self.fc2(x)


torch.manual_seed(0)
expected = ConvLinearModel().eval().requires_grad_(False)
actual = torch.compile(expected, mode="max-autotune")


def inputs(seed):
    return (torch.randn(10, 3, 8, 8, generator=torch.Generator().manual_seed(42 + seed)),)
