import math

import torch
import torch.nn as nn


class Model(nn.Module):
    """
    Causal sliding-window grouped-query attention with rotary positions and learned attention sinks.
    """
    def __init__(self, d_model: int, n_heads: int, n_kv_heads: int, head_dim: int, window: int,
                 rope_base: float = 10000.0):
        """
        Initializes the attention layer.

        Args:
            d_model (int): Model width.
            n_heads (int): Number of query heads, a multiple of n_kv_heads.
            n_kv_heads (int): Number of key/value heads.
            head_dim (int): Width of a head, even.
            window (int): Number of positions a query sees, itself included.
            rope_base (float, optional): Base of the rotary frequencies. Defaults to 10000.
        """
        super(Model, self).__init__()
        self.n_heads = n_heads
        self.n_kv_heads = n_kv_heads
        self.head_dim = head_dim
        self.window = window
        self.rope_base = rope_base
        self.q_proj = nn.Linear(d_model, n_heads * head_dim)
        self.k_proj = nn.Linear(d_model, n_kv_heads * head_dim)
        self.v_proj = nn.Linear(d_model, n_kv_heads * head_dim)
        self.o_proj = nn.Linear(n_heads * head_dim, d_model)
        self.sinks = nn.Parameter(torch.zeros(n_heads))

    def _rope(self, x, positions):
        half = self.head_dim // 2
        freq = self.rope_base ** (-torch.arange(half, device=x.device, dtype=torch.float64) / half)
        angle = positions.to(torch.float64)[:, None, :, None] * freq
        cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
        a, b = x[..., :half], x[..., half:]
        return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)

    def forward(self, x: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
        """
        Runs the layer. The window applies to the index in the sequence, the rotation to `positions`.

        Args:
            x (torch.Tensor): Hidden states of shape (batch, seq, d_model).
            positions (torch.Tensor): int64 token positions of shape (batch, seq).

        Returns:
            torch.Tensor: Output of shape (batch, seq, d_model).
        """
        B, S, _ = x.shape
        q = self.q_proj(x).view(B, S, self.n_heads, self.head_dim).transpose(1, 2)
        k = self.k_proj(x).view(B, S, self.n_kv_heads, self.head_dim).transpose(1, 2)
        v = self.v_proj(x).view(B, S, self.n_kv_heads, self.head_dim).transpose(1, 2)
        q, k = self._rope(q, positions), self._rope(k, positions)
        rep = self.n_heads // self.n_kv_heads
        k, v = k.repeat_interleave(rep, dim=1), v.repeat_interleave(rep, dim=1)

        scores = q @ k.transpose(-1, -2) / math.sqrt(self.head_dim)
        i = torch.arange(S, device=x.device)
        seen = (i[None, :] <= i[:, None]) & (i[None, :] > i[:, None] - self.window)
        scores = scores.masked_fill(~seen, float("-inf"))
        sink = self.sinks.view(1, -1, 1, 1).expand(B, -1, S, 1)
        probs = torch.softmax(torch.cat([scores, sink], dim=-1), dim=-1)[..., :-1]
        out = (probs @ v).transpose(1, 2).reshape(B, S, -1)
        return self.o_proj(out)


batch_size = 2
seq_len = 64
d_model = 64
n_heads = 4
n_kv_heads = 2
head_dim = 16
window = 16


def get_inputs():
    x = torch.randn(batch_size, seq_len, d_model)
    positions = torch.arange(seq_len).expand(batch_size, seq_len).contiguous()
    return [x, positions]


def get_init_inputs():
    return [d_model, n_heads, n_kv_heads, head_dim, window]
