import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Ranks by one stable argsort; masks are scattered back and the softmax is taken in place in token order."""

    def __init__(self, temperature: float, top_k: int, top_p: float):
        super().__init__()
        self.temperature = temperature
        self.top_k = top_k
        self.top_p = top_p

    @torch.no_grad()
    def forward(self, logits):
        B, V = logits.shape
        k = V if self.top_k <= 0 else min(self.top_k, V)
        order = torch.argsort(-logits, dim=1, stable=True)[:, :k]
        x = logits.double() / self.temperature
        w = torch.exp(x - x.amax(dim=1, keepdim=True))
        top = w.gather(1, order)
        mass = top.cumsum(dim=1)
        # in units of the unnormalised mass of the k kept tokens
        keep = (mass - top) < self.top_p * mass[:, -1:]
        mask = torch.zeros(B, V, dtype=torch.bool, device=logits.device).scatter_(1, order, keep)
        w.masked_fill_(~mask, 0.0)
        return w.div_(w.sum(dim=1, keepdim=True)).to(logits.dtype)
