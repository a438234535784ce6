import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Cumulative mass compared with p in sorted order, result sent back by the inverse order."""

    def __init__(self, min_keep=1):
        super().__init__()
        self.min_keep = min_keep

    @torch.no_grad()
    def forward(self, logits, temperature, top_k, top_p):
        x = logits / temperature[:, None]
        V = x.shape[1]
        ninf = float("-inf")
        vals, order = torch.sort(x, dim=1, descending=True, stable=True)
        k = torch.where(top_k <= 0, V, top_k).clamp(min(self.min_keep, V), V)
        vals = torch.where(vals >= vals.gather(1, k[:, None] - 1), vals, ninf)
        mass = torch.softmax(vals.double(), 1).cumsum(1)
        keep = (mass <= top_p.double()[:, None]) | (top_p >= 1.0)[:, None]
        keep[:, :self.min_keep] = True
        vals = torch.where(keep, vals, ninf)
        inverse = torch.argsort(order, dim=1)
        out = vals.gather(1, inverse)
        return out, (out > ninf).sum(1)
