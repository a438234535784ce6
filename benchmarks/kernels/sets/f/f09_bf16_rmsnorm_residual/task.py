from typing import Tuple

import torch

input_t = Tuple[torch.Tensor, torch.Tensor, torch.Tensor, float]
output_t = Tuple[torch.Tensor, torch.Tensor]
