import math
import torch
import torch.nn as nn


BLOCK_Q = 32
BLOCK_K = 48


class ModelNew(nn.Module):
    """Tiled attention with an online softmax. The sink is the start of the running
    maximum (m = sink, l = 1), so no tile can leave the maximum at -inf."""

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
        scale = 1.0 / math.sqrt(D)
        qg = q.reshape(B, G, R, S, D)
        kg = k.unsqueeze(2)
        vg = v.unsqueeze(2)
        sink = self.sinks.view(1, G, R, 1, 1)
        tiles = []
        for q0 in range(0, S, BLOCK_Q):
            q1 = min(q0 + BLOCK_Q, S)
            qt = qg[..., q0:q1, :] * scale
            m = sink.expand(B, G, R, q1 - q0, 1)
            l = torch.ones_like(m)
            acc = torch.zeros_like(qt)
            rows = torch.arange(q0, q1, device=q.device)[:, None]
            first = max(0, q0 - self.window + 1)
            for k0 in range(first, q1, BLOCK_K):
                k1 = min(k0 + BLOCK_K, q1)
                cols = torch.arange(k0, k1, device=q.device)[None, :]
                s = qt @ kg[..., k0:k1, :].transpose(-1, -2)
                ok = (cols <= rows) & (rows - cols < self.window)
                s = s.masked_fill(~ok, float("-inf"))
                m_new = torch.maximum(m, s.amax(dim=-1, keepdim=True))
                alpha = torch.exp(m - m_new)
                p = torch.exp(s - m_new)
                l = l * alpha + p.sum(dim=-1, keepdim=True)
                acc = acc * alpha + p @ vg[..., k0:k1, :]
                m = m_new
            tiles.append(acc / l)
        return torch.cat(tiles, dim=-2).reshape(B, H, S, D)
