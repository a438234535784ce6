import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.k = k

    def forward(self, x):
        work = x.clone()
        vals, idxs = [], []
        for _ in range(self.k):
            p = work.argmax(dim=-1, keepdim=True)
            vals.append(x.gather(-1, p))
            idxs.append(p)
            work = work.scatter(-1, p, float("-inf"))
        return torch.cat(vals, dim=-1), torch.cat(idxs, dim=-1)
