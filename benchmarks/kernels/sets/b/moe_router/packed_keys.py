import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Probability bits and expert index in one integer key (low bits), then key sort."""

    def __init__(self, hidden, experts, top_k=2, renormalize=True):
        super().__init__()
        self.gate = nn.Linear(hidden, experts, bias=False)
        self.top_k = top_k
        self.renormalize = renormalize
        self.bits = max(1, (experts - 1).bit_length())

    @torch.no_grad()
    def forward(self, x):
        z = x @ self.gate.weight.t()
        e = torch.exp(z - z.amax(1, keepdim=True))
        p = e / e.sum(1, keepdim=True)
        low = (1 << self.bits) - 1
        lane = torch.arange(p.shape[1], dtype=torch.int32)
        key = (p.contiguous().view(torch.int32) & ~low) | (low - lane)
        key = torch.sort(key, dim=1, descending=True).values[:, :self.top_k]
        idx = (low - (key & low)).long()
        w = p.gather(1, idx)
        if self.renormalize:
            w = w / w.sum(1, keepdim=True)
        return w, idx
