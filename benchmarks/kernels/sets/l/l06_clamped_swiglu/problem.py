import torch
import torch.nn as nn


class Model(nn.Module):
    """Gated unit with clamping: (clamp(up) + 1) * g * sigmoid(1.702 g), g = min(gate, limit)."""

    def __init__(self, in_features, hidden, limit):
        super().__init__()
        self.gate = nn.Linear(in_features, hidden)
        self.up = nn.Linear(in_features, hidden)
        self.limit = limit

    def forward(self, x):
        g = self.gate(x).clamp(max=self.limit)
        u = self.up(x).clamp(min=-self.limit, max=self.limit)
        return (u + 1) * g * torch.sigmoid(1.702 * g)


def get_inputs():
    return [torch.randn(32, 64)]


def get_init_inputs():
    return [64, 64, 7.0]
