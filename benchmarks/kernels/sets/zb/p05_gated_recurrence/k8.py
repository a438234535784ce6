import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.skip = nn.Parameter(torch.randn(dim) * 0.1)

    @torch.no_grad()
    def forward(self, a, b, h0=None):
        B, T, D = b.shape
        C = 16
        n = (T + C - 1) // C
        ap = torch.nn.functional.pad(a, (0, 0, 0, n * C - T)).view(B, n, C, D)
        bp = torch.nn.functional.pad(b, (0, 0, 0, n * C - T)).view(B, n, C, D)
        local = torch.empty(B, n, C, D)
        prod = torch.empty(B, n, C, D)
        h = torch.zeros(B, n, D)
        p = torch.ones(B, n, D)
        for i in range(C):
            h = ap[:, :, i] * h + bp[:, :, i]
            p = p * ap[:, :, i]
            local[:, :, i] = h
            prod[:, :, i] = p
        carry = torch.zeros(B, D) if h0 is None else h0
        for c in range(n):
            local[:, c] += prod[:, c] * carry[:, None]
            carry = local[:, c, -1]
        hs = local.view(B, n * C, D)[:, :T]
        return hs + self.skip * b, carry.clone()
