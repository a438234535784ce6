import torch
import torch.nn as nn


class Model(nn.Module):
    """
    Partial rotary embedding (GPT-NeoX layout: halves, not pairs) of queries and keys.
    Only the first rotary_dim features of each head turn, the others pass through.

    q: (B, T, Hq, head_dim), k: (B, T, Hk, head_dim), positions: (B, T) integers >= 0
    """

    def __init__(self, head_dim: int, rotary_dim: int, base: float = 10000.0):
        super().__init__()
        self.head_dim = head_dim
        self.rotary_dim = rotary_dim
        self.base = base

    def _rotate(self, t, cos, sin):
        half = self.rotary_dim // 2
        t1 = t[..., :half]
        t2 = t[..., half:self.rotary_dim]
        rest = t[..., self.rotary_dim:]
        return torch.cat([t1 * cos - t2 * sin, t2 * cos + t1 * sin, rest], dim=-1)

    def forward(self, q, k, positions):
        half = self.rotary_dim // 2
        expo = torch.arange(half, device=q.device, dtype=q.dtype) * (2.0 / self.rotary_dim)
        inv_freq = self.base ** -expo
        ang = positions.to(q.dtype)[..., None] * inv_freq          # (B, T, half)
        cos = ang.cos()[:, :, None, :]
        sin = ang.sin()[:, :, None, :]
        return self._rotate(q, cos, sin), self._rotate(k, cos, sin)


B = 2
T = 20
HQ = 4
HK = 2
HEAD_DIM = 64
ROTARY_DIM = 32


def get_inputs():
    q = torch.randn(B, T, HQ, HEAD_DIM)
    k = torch.randn(B, T, HK, HEAD_DIM)
    positions = torch.arange(T).expand(B, T)
    return [q, k, positions]


def get_init_inputs():
    return [HEAD_DIM, ROTARY_DIM]
