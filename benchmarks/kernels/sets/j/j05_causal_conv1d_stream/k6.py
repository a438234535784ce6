import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, dim: int, width: int = 4):
        super().__init__()
        self.width = width
        self.weight = nn.Parameter(torch.randn(dim, width) * 0.5)
        self.bias = nn.Parameter(torch.zeros(dim))

    @torch.no_grad()
    def forward(self, x, state):
        w1 = self.width - 1
        y = F.conv1d(torch.cat((state, x), dim=-1), self.weight[:, None], self.bias, groups=x.shape[1])
        # left-pad so that chunks shorter than the window work as well
        new_state = F.pad(x, (w1 - x.shape[-1], 0))
        return F.silu(y), new_state.contiguous()
