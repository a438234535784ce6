import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Selection by one integer key per token, so that torch.topk needs no stability: the ordered bits of the logit above, the reversed index below."""

    def __init__(self, temperature: float, top_k: int, top_p: float):
        super().__init__()
        self.temperature = temperature
        self.top_k = top_k
        self.top_p = top_p

    @torch.no_grad()
    def forward(self, logits):
        B, V = logits.shape
        k = V if self.top_k <= 0 else min(self.top_k, V)
        bits = (logits.contiguous() + 0.0).view(torch.int32).to(torch.int64)  # + 0.0 turns -0.0 into 0.0
        bits = torch.where(bits < 0, bits ^ 0x7FFFFFFF, bits)                  # monotone in the value
        key = bits * (1 << 31) + (V - 1 - torch.arange(V, device=logits.device))
        order = torch.topk(key, k, dim=1).indices
        top = logits.gather(1, order).double() / self.temperature
        w = torch.exp2((top - top[:, :1]) * 1.4426950408889634)
        total = w.sum(1, keepdim=True)
        before = w.cumsum(1) - w
        w = w * (before < self.top_p * total)
        p = (w / w.sum(1, keepdim=True)).float()
        return torch.zeros_like(logits, memory_format=torch.contiguous_format).scatter_(1, order, p)
