import math
import torch
import torch.nn as nn
import torch.nn.functional as F

def _pow2(n):
    return [2.0 ** (-8.0 * (i + 1) / n) for i in range(n)]


def _slopes(n):
    p = 1 << (n.bit_length() - 1)
    return _pow2(p) + _pow2(2 * p)[0::2][:n - p]


class ModelNew(nn.Module):
    def __init__(self, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.register_buffer("slopes", torch.tensor(_slopes(num_heads)), persistent=False)

    def forward(self, q, k, v, lengths):
        B, H, T, D = q.shape
        S = k.shape[2]
        row = torch.arange(T, device=q.device).view(T, 1)
        col = torch.arange(S, device=q.device).view(1, S)
        bias = self.slopes.view(H, 1, 1) * (col - row).to(q.dtype)
        vis = (col <= row)[None, None] & (col < lengths[:, None])[:, None, None]
        logit = torch.einsum("bhtd,bhsd->bhts", q, k) / math.sqrt(D) + bias
        logit = logit.masked_fill(~vis, -1e30)
        p = torch.softmax(logit, -1).masked_fill(~vis, 0.0)
        return torch.einsum("bhts,bhsd->bhtd", p, v)
