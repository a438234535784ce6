import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, a, b):
        acc = torch.zeros(a.shape[0], dtype=torch.int32)
        for j in range(0, a.shape[1], 64):
            acc += (a[:, j:j + 64] * b[:, j:j + 64]).sum(dim=1, dtype=torch.int32)
        return acc.to(torch.int64)
