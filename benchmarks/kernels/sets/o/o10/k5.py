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
        V = logits.size(1)
        probs = torch.softmax(logits.double() / self.temperature, dim=1)
        order = torch.sort(logits, dim=1, descending=True, stable=True).indices
        ranked = probs.gather(1, order)
        # both filters on the same ranked list
        keep = (ranked.cumsum(1) - ranked) < self.top_p
        if self.top_k > 0:
            keep[:, min(self.top_k, V):] = False
        ranked = ranked * keep
        ranked = ranked / ranked.sum(1, keepdim=True)
        return torch.empty_like(logits).scatter_(1, order, ranked.to(logits.dtype))
