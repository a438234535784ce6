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
        full = torch.cat((state, x), dim=2)
        y = F.silu(F.conv1d(full, self.weight.unsqueeze(1), self.bias, groups=x.shape[1]))
        keep = self.width - 1
        return y, full.narrow(2, full.shape[2] - keep, keep).contiguous()
