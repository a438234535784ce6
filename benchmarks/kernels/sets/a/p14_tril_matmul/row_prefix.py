import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, A, B):
        n = A.shape[0]
        Bd = B.double()
        C = torch.zeros(n, n, dtype=A.dtype)
        for i in range(n):
            row = (A[i, :i + 1].double().unsqueeze(1) * Bd[:i + 1, :i + 1]).sum(0)
            C[i, :i + 1] = row.to(A.dtype)
        return C
