import torch
import torch.nn as nn


class ModelNew(nn.Module):
    BLOCK = 60

    def __init__(self):
        super().__init__()

    def forward(self, a, b):
        acc = torch.zeros(a.shape[0], dtype=torch.int64)
        for j in range(0, a.shape[1], self.BLOCK):
            acc += (a[:, j:j + self.BLOCK].long() * b[:, j:j + self.BLOCK].long()).sum(1)
        return acc
