import torch
import torch.nn as nn


class Model(nn.Module):
    """Partial rotary embedding (half-split pairing) of queries and keys from a cos/sin table."""

    def __init__(self, rotary_dim, max_pos, base):
        super().__init__()
        self.rotary_dim = rotary_dim
        inv = 1.0 / (base ** (torch.arange(0, rotary_dim, 2).float() / rotary_dim))
        ang = torch.outer(torch.arange(max_pos).float(), inv)
        self.register_buffer("cos_table", ang.cos())
        self.register_buffer("sin_table", ang.sin())

    def _rotate(self, x, cos, sin):
        r = self.rotary_dim
        rot, rest = x[..., :r], x[..., r:]
        a, b = rot.chunk(2, dim=-1)
        return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], dim=-1)

    def forward(self, q, k, positions):
        cos = self.cos_table[positions].unsqueeze(2)
        sin = self.sin_table[positions].unsqueeze(2)
        return self._rotate(q, cos, sin), self._rotate(k, cos, sin)


B = 2
T = 96
HQ = 8
HK = 2
HEAD_DIM = 64
ROTARY_DIM = 48
MAX_POS = 512
BASE = 10000.0


def get_inputs():
    q = torch.randn(B, T, HQ, HEAD_DIM)
    k = torch.randn(B, T, HK, HEAD_DIM)
    positions = torch.arange(T).unsqueeze(0).repeat(B, 1)
    return [q, k, positions]


def get_init_inputs():
    return [ROTARY_DIM, MAX_POS, BASE]
