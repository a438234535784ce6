import math
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Banded form: every query gets its own list of `window` keys (left padded)."""

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
        W = min(self.window, S)
        pad = k.new_zeros(B, G, W - 1, D)
        kw = torch.cat([pad, k], dim=2).unfold(2, W, 1)  # (B, G, S, D, W)
        vw = torch.cat([pad, v], dim=2).unfold(2, W, 1)
        qg = q.reshape(B, G, R, S, D).permute(0, 1, 3, 2, 4)  # (B, G, S, R, D)
        s = torch.matmul(qg, kw) * (D**-0.5)  # (B, G, S, R, W)
        i = torch.arange(S, device=q.device)[:, None]
        w = torch.arange(W, device=q.device)[None, :]
        real = (i - (W - 1) + w) >= 0  # (S, W)
        s = s.masked_fill(~real.view(1, 1, S, 1, W), float("-inf"))
        lse = torch.logsumexp(s, dim=-1, keepdim=True)
        sink = self.sinks.view(1, G, 1, R, 1)
        p = torch.exp(s - torch.logaddexp(lse, sink))
        out = torch.matmul(p, vw.transpose(-1, -2))  # (B, G, S, R, D)
        return out.permute(0, 1, 3, 2, 4).reshape(B, H, S, D)
