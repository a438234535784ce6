import torch
import torch.nn as nn


class Model(nn.Module):
    """
    Softmax over the last dimension of a scaled input.
    """

    def __init__(self, scale: float):
        super(Model, self).__init__()
        self.scale = scale

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """
        Args:
            x: float32 tensor (batch_size, features).
        Returns:
            float32 tensor of the same shape; every row sums to 1.
        """
        return torch.softmax(x * self.scale, dim=-1)


batch_size = 64
features = 200


def get_inputs():
    return [torch.randn(batch_size, features)]


def get_init_inputs():
    return [0.7]
