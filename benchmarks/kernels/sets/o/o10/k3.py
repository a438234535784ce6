import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, temperature: float, top_k: int, top_p: float):
        super().__init__()
        self.temperature = temperature
        self.top_k = top_k
        self.top_p = top_p

    @torch.no_grad()
    def forward(self, logits):
        B, V = logits.shape
        k = min(self.top_k, V) if self.top_k > 0 else V
        vals, idx = torch.sort(logits, dim=-1, descending=True, stable=True)
        vals, idx = vals[:, :k].double(), idx[:, :k]
        p = torch.softmax(vals / self.temperature, dim=-1)
        keep = torch.cumsum(p, dim=-1) <= self.top_p
        keep[:, 0] = True  # never empty
        p = p * keep
        p = p / p.sum(dim=-1, keepdim=True)
        out = torch.zeros(B, V, device=logits.device, dtype=logits.dtype)
        return out.scatter_(1, idx, p.to(out.dtype))
