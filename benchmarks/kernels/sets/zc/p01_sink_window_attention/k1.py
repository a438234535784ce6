import math
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Grouped layout: no repeat of k/v, query heads live in a (kv, rep) pair of axes."""

    def __init__(self, n_heads: int, n_kv_heads: int, head_dim: int, window: int):
        super().__init__()
        self.n_heads = n_heads
        self.n_kv_heads = n_kv_heads
        self.head_dim = head_dim
        self.window = window
        self.sinks = nn.Parameter(torch.randn(n_heads))

    def forward(self, q, k, v):
        B, H, S, D = q.shape
        G = self.n_kv_heads
        R = H // G
        qg = q.reshape(B, G, R, S, D) * (1.0 / math.sqrt(D))
        s = torch.einsum("bgrid,bgjd->bgrij", qg, k)
        dist = torch.arange(S, device=q.device)[:, None] - torch.arange(S, device=q.device)[None, :]
        visible = (dist >= 0) & (dist <= self.window)
        s = torch.where(visible, s, torch.full((), float("-inf"), device=q.device))
        sink = self.sinks.view(1, G, R, 1, 1)
        m = torch.maximum(s.amax(dim=-1, keepdim=True), sink).detach()
        e = torch.exp(s - m)
        den = e.sum(dim=-1, keepdim=True) + torch.exp(sink - m)
        out = torch.einsum("bgrij,bgjd->bgrid", e / den, v)
        return out.reshape(B, H, S, D)
