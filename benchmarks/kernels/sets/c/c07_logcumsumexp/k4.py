import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        m = x.amax(self.dim, keepdim=True)
        p = torch.exp(x - m)
        c = torch.cumsum(p, dim=self.dim, dtype=torch.float64)
        return (m + torch.log(c)).to(x.dtype)
