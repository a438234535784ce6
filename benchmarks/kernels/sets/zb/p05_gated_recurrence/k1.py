import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.skip = nn.Parameter(torch.randn(dim) * 0.1)
        self._zeros = {}

    @torch.no_grad()
    def forward(self, a, b, h0=None):
        B, T, D = b.shape
        if h0 is None:
            key = (B, D, b.device)
            if key not in self._zeros:
                self._zeros[key] = torch.zeros(B, D, device=b.device)
            h = self._zeros[key]
        else:
            h = h0.clone()
        y = torch.empty(B, T, D, device=b.device)
        for t in range(T):
            h.mul_(a[:, t]).add_(b[:, t])
            y[:, t] = h
        y.addcmul_(self.skip, b)
        return y, h.clone()
