from typing import Tuple

import torch

input_t = Tuple[torch.Tensor, torch.Tensor, int]
output_t = torch.Tensor
