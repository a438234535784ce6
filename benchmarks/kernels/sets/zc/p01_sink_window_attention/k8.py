import math
import torch
import torch.nn as nn


BLOCK = 32


class ModelNew(nn.Module):
    """Query/key tiles of 32 x 32; whole tiles outside of the window are skipped."""

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
        qg = q.reshape(B, G, R, S, D) * (D**-0.5)
        sink = self.sinks.view(1, G, R, 1, 1)
        pos = torch.arange(S, device=q.device)
        n_tiles = (S + BLOCK - 1) // BLOCK
        outs = []
        for a in range(n_tiles):
            r = pos[a * BLOCK : (a + 1) * BLOCK]
            # first tile that can hold a visible key
            b0 = max(0, (a * BLOCK - self.window + BLOCK) // BLOCK)
            c = pos[b0 * BLOCK : (a + 1) * BLOCK]
            s = qg[..., r, :] @ k[:, :, None, c].transpose(-1, -2)
            dist = r[:, None] - c[None, :]
            s = s.masked_fill((dist < 0) | (dist >= self.window), float("-inf"))
            m = torch.maximum(s.amax(-1, keepdim=True), sink)
            p = torch.exp(s - m)
            outs.append(p @ v[:, :, None, c] / (p.sum(-1, keepdim=True) + torch.exp(sink - m)))
        return torch.cat(outs, dim=-2).reshape(B, H, S, D)
