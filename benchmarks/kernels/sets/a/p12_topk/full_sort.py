import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.k = k

    def forward(self, x):
        v, i = torch.sort(x, dim=-1, descending=True, stable=True)
        return v[..., :self.k].contiguous(), i[..., :self.k].contiguous()
