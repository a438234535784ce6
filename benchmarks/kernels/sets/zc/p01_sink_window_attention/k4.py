import math
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """One pass: exponentials are summed directly, the sink joins the denominator."""

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
        qg = q.reshape(B, G, R, S, D)
        s = torch.matmul(qg, k[:, :, None].transpose(-1, -2)) / math.sqrt(D)
        band = torch.ones(S, S, dtype=torch.bool, device=q.device).tril()
        band = band & ~torch.ones(S, S, dtype=torch.bool, device=q.device).tril(-self.window)
        w = torch.where(band, s, torch.full((), float("-inf"), device=q.device)).exp()
        den = w.sum(-1, keepdim=True) + self.sinks.exp().view(1, G, R, 1, 1)
        out = torch.matmul(w, v[:, :, None]) / den
        return out.reshape(B, H, S, D)
