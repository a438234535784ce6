import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, a, b):
        acc = torch.zeros(a.shape[0], dtype=torch.float32)
        for j in range(0, a.shape[1], 128):
            acc = acc + torch.einsum("nl,nl->n", a[:, j:j + 128].float(), b[:, j:j + 128].float())
        return acc.to(torch.int64)
