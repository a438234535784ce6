from typing import Tuple, TypeVar
import torch

input_t = TypeVar("input_t", bound=Tuple[torch.Tensor, torch.Tensor, int, float])
output_t = TypeVar("output_t", bound=torch.Tensor)
