import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, A, B):
        n = A.shape[0]
        rows = []
        for i in range(n):
            acc = torch.zeros(n)
            for k0 in range(0, i, 48):
                k1 = min(k0 + 48, i)
                acc = acc + (A[i, k0:k1].unsqueeze(1) * B[k0:k1]).sum(0)
            rows.append(acc)
        return torch.tril(torch.stack(rows))
