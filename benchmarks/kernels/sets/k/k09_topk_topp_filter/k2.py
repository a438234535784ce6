import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Both filters reduced to one cut-off value per row, applied to the unsorted logits."""

    def __init__(self, min_keep=1):
        super().__init__()
        self.min_keep = min_keep

    @torch.no_grad()
    def forward(self, logits, temperature, top_k, top_p):
        x = logits / temperature[:, None]
        V = x.shape[1]
        ninf = float("-inf")
        s = torch.sort(x, dim=1, descending=True).values
        lo = min(self.min_keep, V)
        k = torch.where(top_k > 0, top_k, V).clamp(lo, V)
        live = s >= s.gather(1, k[:, None] - 1)
        prob = torch.softmax(torch.where(live, s, ninf).double(), 1)
        before = prob.cumsum(1) - prob
        inside = (before < top_p.double()[:, None]) | (top_p >= 1.0)[:, None]
        n = (live & inside).sum(1).clamp(min=lo)
        cut = s.gather(1, n[:, None] - 1)
        out = torch.where(x >= cut, x, ninf)
        return out, (out > ninf).sum(1)
