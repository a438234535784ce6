import torch
import torch.nn as nn


class ModelNew(nn.Module):
    CH = 16

    def __init__(self, dim: int):
        super().__init__()
        self.skip = nn.Parameter(torch.randn(dim) * 0.1)

    @torch.no_grad()
    def forward(self, a, b, h0=None):
        B, T, D = b.shape
        h = b.new_zeros(B, D) if h0 is None else h0
        outs = []
        for s in range(0, T, self.CH):
            ac, bc = a[:, s:s + self.CH], b[:, s:s + self.CH]
            L = ac.shape[1]
            M = ac.new_zeros(B, L, L + 1, D)
            row = ac.new_zeros(B, L + 1, D)
            row[:, 0] = 1.0
            for i in range(L):
                row = row * ac[:, i:i + 1]
                row[:, i + 1] = 1.0
                M[:, i] = row
            src = torch.cat([h.unsqueeze(1), bc], dim=1)
            hc = torch.einsum("bijd,bjd->bid", M, src)
            outs.append(hc)
            h = hc[:, -1]
        return torch.cat(outs, dim=1) + self.skip * b, h.clone()
