import torch
import torch.nn as nn


class Model(nn.Module):
    """
    Integer mean of the values of each segment, rounded towards minus infinity.
    A segment that has no values gives 0. Sums are exact in 64-bit integers.
    """

    def __init__(self, num_segments: int):
        super(Model, self).__init__()
        self.num_segments = num_segments

    def forward(self, values: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
        """
        Args:
            values: int64 tensor (n,), any values whose segment sums fit in 64 bits.
            ids: int64 tensor (n,), in any order, each in [0, num_segments).
        Returns:
            int64 tensor (num_segments,).
        """
        total = torch.zeros(self.num_segments, dtype=torch.int64, device=values.device)
        total.index_add_(0, ids, values)
        count = torch.bincount(ids, minlength=self.num_segments)
        return torch.div(total, count.clamp(min=1), rounding_mode="floor")


n = 1000000
num_segments = 61


def get_inputs():
    return [torch.randint(-1000, 1000, (n,)), torch.randint(0, num_segments, (n,))]


def get_init_inputs():
    return [num_segments]
