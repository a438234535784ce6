import torch
import torch.nn as nn


class Model(nn.Module):
    """
    Index of the largest value along one dimension. Of several equal largest
    values the first one counts; a NaN counts as larger than any number.
    """

    def __init__(self, dim: int):
        super(Model, self).__init__()
        self.dim = dim

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """
        Args:
            x: float32 tensor of any shape with at least one dimension.
        Returns:
            int64 tensor, the shape of x without dimension `dim`.
        """
        return torch.argmax(x, dim=self.dim)


batch_size = 8
dim1 = 200
dim2 = 60


def get_inputs():
    return [torch.randn(batch_size, dim1, dim2)]


def get_init_inputs():
    return [1]
