import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    @torch.no_grad()
    def forward(self, A, B):
        n = A.shape[0]
        C = torch.empty(n, n)
        for i in range(n):
            C[i, :i + 1] = A[i, :i + 1] @ B[:i + 1, :i + 1]
        return C
