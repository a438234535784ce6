import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        e = torch.exp(-x.abs())
        sp = torch.clamp(x, min=0) + torch.log1p(e)
        y = x * torch.tanh(sp)
        # guard against stray NaN from the intrinsics
        return torch.where(torch.isnan(y), torch.zeros_like(y), y)
