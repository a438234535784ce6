import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, mask):
        n = x.shape[-1]
        parts = []
        l = torch.zeros(x.shape[:-1] + (1,), dtype=x.dtype)
        for j in range(0, n, 64):
            e = torch.exp(x[..., j:j + 64] + mask[..., j:j + 64])
            l = l + e.sum(dim=-1, keepdim=True)
            parts.append(e)
        return torch.cat(parts, dim=-1) / l
