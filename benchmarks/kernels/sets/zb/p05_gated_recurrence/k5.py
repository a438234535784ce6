import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.skip = nn.Parameter(torch.randn(dim) * 0.1)

    @torch.no_grad()
    def forward(self, a, b, h0=None):
        B, T, D = b.shape
        at = a.transpose(0, 1).contiguous()
        bt = b.transpose(0, 1).contiguous()
        hs = torch.empty(T, B, D)
        prev = torch.zeros(B, D) if h0 is None else h0
        for t in range(T):
            torch.addcmul(bt[t], at[t], prev, out=hs[t])
            prev = hs[t]
        y = torch.addcmul(hs, self.skip, bt)
        return y.transpose(0, 1).contiguous(), prev.clone()
