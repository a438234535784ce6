import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Writes into a workspace allocated for the shape, to avoid an allocation per token."""

    def __init__(self, min_keep=1):
        super().__init__()
        self.min_keep = min_keep
        self._work = None

    def _workspace(self, x):
        w = self._work
        if w is None or w.shape != x.shape or w.dtype != x.dtype or w.device != x.device:
            self._work = torch.empty_like(x)
        return self._work

    @torch.no_grad()
    def forward(self, logits, temperature, top_k, top_p):
        x = logits / temperature[:, None]
        V = x.shape[1]
        ninf = float("-inf")
        out = self._workspace(x)
        vals, order = torch.sort(x, dim=1, descending=True, stable=True)
        k = torch.where(top_k <= 0, V, top_k).clamp(min(self.min_keep, V), V)
        vals = torch.where(vals >= vals.gather(1, k[:, None] - 1), vals, ninf)
        prob = torch.softmax(vals.double(), 1)
        before = prob.cumsum(1) - prob
        keep = (before < top_p.double()[:, None]) | (top_p >= 1.0)[:, None]
        keep[:, :self.min_keep] = True
        out.scatter_(1, order, torch.where(keep, vals, ninf))
        return out, (out > ninf).sum(1)
