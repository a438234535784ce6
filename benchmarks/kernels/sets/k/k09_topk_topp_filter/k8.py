import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Selects the k best per row first, then applies top-p to that short list only."""

    def __init__(self, min_keep=1):
        super().__init__()
        self.min_keep = min_keep

    @torch.no_grad()
    def forward(self, logits, temperature, top_k, top_p):
        x = logits / temperature[:, None]
        V = x.shape[1]
        ninf = float("-inf")
        k = torch.where(top_k <= 0, V, top_k.clamp(max=V)).clamp(min=min(self.min_keep, V))
        width = int(k.max())
        vals, idx = torch.sort(x, dim=1, descending=True, stable=True)
        vals, idx = vals[:, :width], idx[:, :width]
        slot = torch.arange(width, device=x.device)[None, :]
        vals = vals.masked_fill(slot >= k[:, None], ninf)
        e = torch.exp(vals.double() - vals[:, :1].double())
        prob = e / e.sum(1, keepdim=True)
        before = prob.cumsum(1) - prob
        keep = (before < top_p.double()[:, None]) | (top_p >= 1.0)[:, None] | (slot < self.min_keep)
        vals = vals.masked_fill(~keep, ninf)
        out = torch.full_like(x, ninf).scatter(1, idx, vals)
        return out, (out > ninf).sum(1)
