import torch
import torch.nn as nn

BLOCK_K = 16


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, A, B):
        nb, m, k = A.shape
        n = B.shape[2]
        acc = A.new_zeros(nb, m, n)
        for t in range(k // BLOCK_K):
            lo = t * BLOCK_K
            a = A[:, :, lo:lo + BLOCK_K]
            b = B[:, lo:lo + BLOCK_K, :]
            acc = acc + (a.unsqueeze(3) * b.unsqueeze(1)).sum(dim=2)
        return acc
