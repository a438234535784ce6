import math
import torch
import torch.nn as nn

import torch.nn.functional as F


class ModelNew(nn.Module):
    """Ordinary (sink-free) attention, rescaled afterwards: with L = logsumexp of the visible
    scores, the sink multiplies the output by exp(L) / (exp(L) + exp(sink)) = sigmoid(L - sink)."""

    def __init__(self, n_heads: int, n_kv_heads: int, head_dim: int, window: int):
        super().__init__()
        self.n_heads = n_heads
        self.n_kv_heads = n_kv_heads
        self.head_dim = head_dim
        self.window = window
        self.sinks = nn.Parameter(torch.randn(n_heads))

    def forward(self, q, k, v):
        B, H, S, D = q.shape
        R = H // self.n_kv_heads
        kk = k[:, :, None].expand(B, self.n_kv_heads, R, S, D).reshape(B, H, S, D)
        vv = v[:, :, None].expand(B, self.n_kv_heads, R, S, D).reshape(B, H, S, D)
        idx = torch.arange(S, device=q.device)
        d = idx[:, None] - idx[None, :]
        mask = (d >= 0) & (d < self.window)
        o = F.scaled_dot_product_attention(q, kk, vv, attn_mask=mask)
        s = torch.einsum("bhid,bhjd->bhij", q, kk) / math.sqrt(D)
        lse = torch.logsumexp(s.masked_fill(~mask, float("-inf")), dim=-1, keepdim=True)
        # exp(logsigmoid) and not sigmoid: its derivative does not cancel when the sink is negligible
        return o * torch.exp(F.logsigmoid(lse - self.sinks.view(1, H, 1, 1)))
