import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.skip = nn.Parameter(torch.randn(dim) * 0.1)

    @torch.no_grad()
    def forward(self, a, b, h0=None):
        B, T, D = b.shape
        C = 16
        n = -(-T // C)
        extra = n * C - T
        ap = F.pad(a, (0, 0, 0, extra), value=1.0).reshape(B, n, C, D)
        bp = F.pad(b, (0, 0, 0, extra)).reshape(B, n, C, D)
        hs = [bp[:, :, 0]]
        ps = [ap[:, :, 0]]
        for i in range(1, C):
            hs.append(torch.addcmul(bp[:, :, i], ap[:, :, i], hs[-1]))
            ps.append(ps[-1] * ap[:, :, i])
        local = torch.stack(hs, 2)
        prod = torch.stack(ps, 2)
        carry = torch.zeros_like(b[:, 0]) if h0 is None else h0
        carries = []
        for c in range(n):
            carries.append(carry)
            carry = local[:, c, -1] + prod[:, c, -1] * carry
        full = local + prod * torch.stack(carries, 1).unsqueeze(2)
        return full.reshape(B, n * C, D)[:, :T] + self.skip * b, carry
