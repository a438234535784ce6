import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, a, b):
        return (a.double() * b.double()).sum(dim=1).round().to(torch.int64)
