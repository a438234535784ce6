import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, a, b):
        n, L = a.shape
        steps = L // 8
        A = a[:, :steps * 8].to(torch.int64).view(n, steps, 8)
        B = b[:, :steps * 8].to(torch.int64).view(n, steps, 8)
        lanes = (A * B).sum(dim=1)
        return lanes.sum(dim=1)
