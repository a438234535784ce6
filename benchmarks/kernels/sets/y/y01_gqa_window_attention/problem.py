"""Grouped-query self-attention with a sliding causal window and right padding.

forward(x, lengths):
    x        float32 (B, T, d_model), finite, any B >= 1 and T >= 1
    lengths  int64 (B,), the number of real tokens of each sequence, 1 <= lengths[b] <= T

Query i attends to the keys j with i - window < j <= i and j < lengths[b].
Rows of padding queries (i >= lengths[b]) are exactly zero in the output.
n_heads query heads share n_kv_heads key/value heads in consecutive groups
(n_kv_heads divides n_heads; head h reads key/value head h // (n_heads // n_kv_heads)).
window >= 1 may exceed T. Scores are scaled by 1/sqrt(head_dim). The module is trained.
"""
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads, window):
        super().__init__()
        self.n_heads = n_heads
        self.n_kv_heads = n_kv_heads
        self.window = window
        self.head_dim = d_model // n_heads
        self.wq = nn.Linear(d_model, n_heads * self.head_dim, bias=False)
        self.wk = nn.Linear(d_model, n_kv_heads * self.head_dim, bias=False)
        self.wv = nn.Linear(d_model, n_kv_heads * self.head_dim, bias=False)
        self.wo = nn.Linear(n_heads * self.head_dim, d_model, bias=False)

    def forward(self, x, lengths):
        B, T, _ = x.shape
        d = self.head_dim
        g = self.n_heads // self.n_kv_heads
        q = self.wq(x).view(B, T, self.n_heads, d).transpose(1, 2)
        k = self.wk(x).view(B, T, self.n_kv_heads, d).transpose(1, 2).repeat_interleave(g, dim=1)
        v = self.wv(x).view(B, T, self.n_kv_heads, d).transpose(1, 2).repeat_interleave(g, dim=1)
        i = torch.arange(T, device=x.device)
        band = (i[None, :] <= i[:, None]) & (i[None, :] > i[:, None] - self.window)
        real = i[None, :] < lengths[:, None]                      # (B, T)
        allowed = band[None] & real[:, None, :]
        allowed = allowed | torch.eye(T, dtype=torch.bool, device=x.device)[None]
        s = (q @ k.transpose(-1, -2)) / d ** 0.5
        s = s.masked_fill(~allowed[:, None], float("-inf"))
        o = torch.softmax(s, dim=-1) @ v
        o = o.transpose(1, 2).reshape(B, T, self.n_heads * d)
        return self.wo(o) * real[:, :, None].to(x.dtype)


def get_inputs():
    return [torch.randn(2, 96, 64), torch.tensor([96, 70])]


def get_init_inputs():
    return [64, 4, 2, 32]
