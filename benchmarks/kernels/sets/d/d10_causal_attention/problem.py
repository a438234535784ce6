import math

import torch
import torch.nn as nn


class Model(nn.Module):
    """
    Causal multi-head attention core (no projections).
    """

    def __init__(self, head_dim: int):
        super(Model, self).__init__()
        self.scale = 1.0 / math.sqrt(head_dim)

    def forward(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        """
        Args:
            q, k, v: float32 tensors (batch_size, heads, seq_len, head_dim).
        Returns:
            float32 tensor (batch_size, heads, seq_len, head_dim).
        """
        T = q.size(-2)
        att = (q @ k.transpose(-2, -1)) * self.scale
        mask = torch.triu(torch.ones(T, T, dtype=torch.bool, device=q.device), diagonal=1)
        att = att.masked_fill(mask, float("-inf"))
        att = torch.softmax(att, dim=-1)
        return att @ v


batch_size = 2
heads = 2
seq_len = 50
head_dim = 32


def get_inputs():
    q = torch.randn(batch_size, heads, seq_len, head_dim)
    k = torch.randn(batch_size, heads, seq_len, head_dim)
    v = torch.randn(batch_size, heads, seq_len, head_dim)
    return [q, k, v]


def get_init_inputs():
    return [head_dim]
