import math

import torch
import torch.nn as nn


class Model(nn.Module):
    """One decoding step of attention over a KV cache; inference only (no gradients).

    q: float32 (batch, heads, dim); k_cache, v_cache: float32 (batch, heads, max_len, dim);
    lengths: int64 (batch,), 1 <= lengths[b] <= max_len. Only the first lengths[b] entries of
    the caches are valid, the others may hold anything (also NaN or inf). Between calls a
    caller appends to the caches in place. Valid values are finite, |q| and |k| up to 100,
    |v| up to 1e6. Any sizes >= 1. scale: default 1 / sqrt(dim).
    """

    def __init__(self, scale=None):
        super().__init__()
        self.scale = scale

    def forward(self, q, k_cache, v_cache, lengths):
        scale = self.scale if self.scale is not None else 1.0 / math.sqrt(q.shape[-1])
        out = torch.empty_like(q)
        for b in range(q.shape[0]):
            n = int(lengths[b])
            s = torch.einsum("hd,hld->hl", q[b], k_cache[b, :, :n]) * scale
            p = torch.softmax(s, dim=-1)
            out[b] = torch.einsum("hl,hld->hd", p, v_cache[b, :, :n])
        return out


batch, heads, max_len, dim = 2, 4, 128, 32


def get_inputs():
    q = torch.randn(batch, heads, dim)
    k_cache = torch.randn(batch, heads, max_len, dim)
    v_cache = torch.randn(batch, heads, max_len, dim)
    lengths = torch.full((batch,), max_len, dtype=torch.int64)
    return [q, k_cache, v_cache, lengths]


def get_init_inputs():
    return []
