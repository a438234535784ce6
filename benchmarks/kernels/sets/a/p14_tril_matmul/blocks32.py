import torch
import torch.nn as nn

T = 32


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, A, B):
        n = A.shape[0]
        C = torch.zeros(n, n)
        nt = n // T
        for bi in range(nt):
            ri = slice(bi * T, (bi + 1) * T)
            for bj in range(bi + 1):
                rj = slice(bj * T, (bj + 1) * T)
                acc = torch.zeros(T, T)
                for bk in range(bj, bi + 1):
                    rk = slice(bk * T, (bk + 1) * T)
                    acc = acc + (A[ri, rk].unsqueeze(2) * B[rk, rj].unsqueeze(0)).sum(1)
                C[ri, rj] = acc
        return torch.tril(C)
