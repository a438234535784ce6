import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Operands fit 16 bits; masked loads keep the product in one word."""

    def __init__(self):
        super().__init__()

    def forward(self, a, b):
        A = (a & 0xFFFF).to(torch.int64)
        B = (b & 0xFFFF).to(torch.int64)
        out = torch.zeros(a.shape[0], dtype=torch.int64)
        for j in range(0, a.shape[1], 64):
            out = out + (A[:, j:j + 64] * B[:, j:j + 64]).sum(1)
        return out
