import math
import torch
import torch.nn as nn


def alibi_slopes(n: int):
    def pow2(m):
        start = 2.0 ** (-8.0 / m)
        return [start ** (i + 1) for i in range(m)]

    if n & (n - 1) == 0:
        return pow2(n)
    c = 2 ** int(math.floor(math.log2(n)))
    return pow2(c) + pow2(2 * c)[0::2][: n - c]


class Model(nn.Module):
    """
    Inference prefill of causal grouped-query attention with ALiBi biases and right-padded
    sequences of different lengths. Padded query rows are returned as zeros.
    """

    def __init__(self, num_heads: int, num_kv_heads: int):
        super().__init__()
        assert num_heads % num_kv_heads == 0
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.register_buffer("slopes", torch.tensor(alibi_slopes(num_heads), dtype=torch.float32), persistent=False)

    @torch.no_grad()
    def forward(self, q, k, v, lengths):
        """
        q: (B, num_heads, T, D); k, v: (B, num_kv_heads, T, D); lengths: (B,) integers in [0, T].
        All values are finite, padding included.
        """
        B, H, T, D = q.shape
        rep = H // self.num_kv_heads
        k = k.repeat_interleave(rep, dim=1)
        v = v.repeat_interleave(rep, dim=1)
        pos = torch.arange(T, device=q.device)
        dist = (pos[:, None] - pos[None, :]).to(q.dtype)
        s = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(D)
        s = s - self.slopes.to(q.dtype)[None, :, None, None] * dist
        causal = pos[:, None] >= pos[None, :]
        inside = pos[None, :] < lengths[:, None]                      # (B, T)
        keep = causal[None, None] & inside[:, None, None, :]
        s = s.masked_fill(~keep, float("-inf"))
        live = inside[:, None, :, None]
        p = torch.softmax(s.masked_fill(~live, 0.0), dim=-1)
        return torch.matmul(p, v).masked_fill(~live, 0.0)


batch_size = 2
num_heads = 4
num_kv_heads = 2
seq_len = 32
head_dim = 16


def get_inputs():
    q = torch.randn(batch_size, num_heads, seq_len, head_dim)
    k = torch.randn(batch_size, num_kv_heads, seq_len, head_dim)
    v = torch.randn(batch_size, num_kv_heads, seq_len, head_dim)
    lengths = torch.tensor([seq_len, seq_len - 13])
    return [q, k, v, lengths]


def get_init_inputs():
    return [num_heads, num_kv_heads]
