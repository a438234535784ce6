import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        v = x.movedim(self.dim, 0)
        m = torch.full_like(v[0], float("-inf"), dtype=torch.float64)
        s = torch.zeros_like(m)
        outs = []
        for t in range(v.shape[0]):
            xt = v[t].double()
            mn = torch.maximum(m, xt)
            base = torch.where(torch.isinf(mn), torch.zeros_like(mn), mn)
            s = s * torch.exp(m - base) + torch.exp(xt - base)
            m = mn
            outs.append((base + torch.log(s)).to(x.dtype))
        return torch.stack(outs, 0).movedim(0, self.dim)
