import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Selection: take the max, drop its slot from the working row, repeat."""

    def __init__(self, k):
        super().__init__()
        self.k = k

    def forward(self, x):
        rest = x
        ids = torch.arange(x.shape[-1]).expand_as(x)
        vals, idxs = [], []
        for _ in range(self.k):
            p = rest.argmax(dim=-1, keepdim=True)
            vals.append(rest.gather(-1, p))
            idxs.append(ids.gather(-1, p))
            keep = torch.ones_like(rest, dtype=torch.bool).scatter_(-1, p, False)
            shape = rest.shape[:-1] + (rest.shape[-1] - 1,)
            rest = rest[keep].reshape(shape)
            ids = ids[keep].reshape(shape)
        return torch.cat(vals, -1), torch.cat(idxs, -1)
