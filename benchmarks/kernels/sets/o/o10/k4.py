import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """No sort: the rank of a token is the number of tokens before it, counted in blocks."""

    def __init__(self, temperature: float, top_k: int, top_p: float):
        super().__init__()
        self.temperature = temperature
        self.top_k = top_k
        self.top_p = top_p

    BLOCK = 64

    @torch.no_grad()
    def forward(self, logits):
        B, V = logits.shape
        k = V if self.top_k <= 0 else min(self.top_k, V)
        x = logits.double() / self.temperature
        w = torch.exp(x - x.amax(dim=1, keepdim=True))
        index = torch.arange(V, device=logits.device)
        rank = torch.empty(B, V, dtype=torch.long, device=logits.device)
        for lo in range(0, V, self.BLOCK):
            mine = logits[:, lo:lo + self.BLOCK, None]
            ahead = logits[:, None, :] > mine
            ahead |= (logits[:, None, :] == mine) & (index[None, None, :] < index[None, lo:lo + self.BLOCK, None])
            rank[:, lo:lo + self.BLOCK] = ahead.sum(-1)
        w = torch.where(rank < k, w, torch.zeros_like(w))
        # rank is a permutation: place the weights by rank, sum up, read the sums back
        ranked = torch.zeros_like(w).scatter_(1, rank, w)
        before = (ranked.cumsum(1) - ranked).gather(1, rank)
        w = torch.where(before < self.top_p * w.sum(1, keepdim=True), w, torch.zeros_like(w))
        return (w / w.sum(1, keepdim=True)).to(logits.dtype)
