import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.skip = nn.Parameter(torch.randn(dim) * 0.1)

    @torch.no_grad()
    def forward(self, a, b, h0=None):
        P = torch.cumprod(a, dim=1)
        acc = torch.cumsum(b / P, dim=1)
        if h0 is not None:
            acc = acc + h0.unsqueeze(1)
        h = P * acc
        return torch.addcmul(h, self.skip, b), h[:, -1].contiguous()
