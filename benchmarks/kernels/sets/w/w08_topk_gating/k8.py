import math
import torch
import torch.nn as nn
import torch.nn.functional as F

def _keys(s):
    """int64 keys that order like (score descending, index ascending); all keys of a row differ."""
    s = s + 0.0                                              # -0.0 and 0.0 are one score
    bits = s.contiguous().view(torch.int32).to(torch.int64)
    mono = torch.where(bits >= 0, bits, -(bits & 0x7FFFFFFF))
    E = s.shape[-1]
    return mono * E + (E - 1 - torch.arange(E, device=s.device))


class ModelNew(nn.Module):
    def __init__(self, num_experts, k):
        super().__init__()
        self.k = k
        self.register_buffer("select_bias", torch.zeros(num_experts))

    def forward(self, logits):
        idx = _keys((logits + self.select_bias).detach()).topk(self.k, dim=-1).indices
        onehot = F.one_hot(idx, logits.shape[-1]).to(torch.bool).any(-2)
        z = logits.double().masked_fill(~onehot, float("-inf"))
        return torch.softmax(z, dim=-1).to(logits.dtype)
