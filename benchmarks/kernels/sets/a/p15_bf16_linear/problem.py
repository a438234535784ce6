import torch
import torch.nn as nn


class Model(nn.Module):
    """bfloat16 linear: y = x @ W^T + b, bfloat16 in and out (float32 accumulation inside); x: (N, in_features)."""

    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features, dtype=torch.bfloat16)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear(x)


def get_inputs():
    return [torch.randn(24, 2048).to(torch.bfloat16)]


def get_init_inputs():
    return [2048, 24]
