import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        e = torch.exp(x).movedim(self.dim, 0)
        acc = torch.zeros_like(e[0], dtype=torch.float64)
        res = torch.empty_like(e)
        for t in range(e.shape[0]):
            acc = acc + e[t]
            res[t] = torch.log(acc).to(x.dtype)
        return res.movedim(0, self.dim)
