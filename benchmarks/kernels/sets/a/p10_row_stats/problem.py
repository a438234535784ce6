import torch
import torch.nn as nn


class Model(nn.Module):
    """
    Per row of x (N, L), N, L >= 1: sum, mean, max, index of the first max, max of the
    running sum.  Output (N, 5) float32.  NaN propagates as in torch.
    """

    def __init__(self):
        super().__init__()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.stack(
            [
                x.sum(dim=1),
                x.mean(dim=1),
                x.amax(dim=1),
                x.argmax(dim=1).to(x.dtype),
                x.cumsum(dim=1).amax(dim=1),
            ],
            dim=1,
        )


def get_inputs():
    return [torch.randn(64, 200)]


def get_init_inputs():
    return []
