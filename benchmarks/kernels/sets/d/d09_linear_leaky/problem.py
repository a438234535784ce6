import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """
    Linear layer followed by a leaky ReLU.
    """

    def __init__(self, in_features: int, out_features: int, negative_slope: float):
        super(Model, self).__init__()
        self.linear = nn.Linear(in_features, out_features)
        self.negative_slope = negative_slope

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """
        Args:
            x: float32 tensor (batch_size, in_features).
        Returns:
            float32 tensor (batch_size, out_features).
        """
        return F.leaky_relu(self.linear(x), self.negative_slope)


batch_size = 128
in_features = 100
out_features = 64


def get_inputs():
    return [torch.randn(batch_size, in_features)]


def get_init_inputs():
    return [in_features, out_features, 0.01]
