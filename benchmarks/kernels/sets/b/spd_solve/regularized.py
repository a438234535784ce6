import torch
import torch.nn as nn

JITTER = 1e-6


class ModelNew(nn.Module):
    @torch.no_grad()
    def forward(self, A, B):
        n = A.shape[-1]
        a = A.double() + JITTER * torch.eye(n, dtype=torch.float64)
        L = torch.zeros_like(a)
        for j in range(n):
            d = (a[:, j, j] - L[:, j, :j].square().sum(1)).sqrt()
            L[:, j, j] = d
            for i in range(j + 1, n):
                L[:, i, j] = (a[:, i, j] - (L[:, i, :j] * L[:, j, :j]).sum(1)) / d
        x = B.double()
        for i in range(n):
            x[:, i] = (x[:, i] - (L[:, i, :i, None] * x[:, :i]).sum(1)) / L[:, i, i, None]
        for i in range(n - 1, -1, -1):
            x[:, i] = (x[:, i] - (L[:, i + 1:, i, None] * x[:, i + 1:]).sum(1)) / L[:, i, i, None]
        return x.float()
