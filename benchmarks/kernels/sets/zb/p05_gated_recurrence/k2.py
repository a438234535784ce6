import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.skip = nn.Parameter(torch.randn(dim) * 0.1)

    @torch.no_grad()
    def forward(self, a, b, h0=None):
        T = a.shape[1]
        A = a.clone()
        H = b.clone()
        if h0 is not None:
            H[:, 0] += a[:, 0] * h0
        step = 1
        while step < T:
            nh = H[:, step:] + A[:, step:] * H[:, :-step]
            na = A[:, step:] * A[:, :-step]
            H = torch.cat([H[:, :step], nh], dim=1)
            A = torch.cat([A[:, :step], na], dim=1)
            step *= 2
        return H + self.skip * b, H[:, -1].clone()
