import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.k = k

    def forward(self, x):
        order = torch.argsort(x, dim=-1, descending=True, stable=True)[..., :self.k]
        return x.gather(-1, order), order.to(torch.int32)
