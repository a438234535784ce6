import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Top-k by the k-th value (no full sort of the vocabulary)."""

    def __init__(self, temperature: float, top_k: int, top_p: float):
        super().__init__()
        self.temperature = temperature
        self.top_k = top_k
        self.top_p = top_p

    @torch.no_grad()
    def forward(self, logits):
        V = logits.shape[1]
        x = logits.double() / self.temperature
        if 0 < self.top_k < V:
            kth = torch.topk(logits, self.top_k, dim=1).values[:, -1:]
            x = x.masked_fill(logits < kth, float("-inf"))
        p = torch.softmax(x, dim=1)
        ps, order = torch.sort(p, dim=1, descending=True, stable=True)
        drop = (ps.cumsum(dim=1) - ps) >= self.top_p
        ps = ps.masked_fill(drop, 0.0)
        ps = ps / ps.sum(dim=1, keepdim=True)
        return torch.zeros_like(logits).scatter_(1, order, ps.float())
