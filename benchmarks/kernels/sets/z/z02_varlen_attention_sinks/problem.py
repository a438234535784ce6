import torch
import torch.nn as nn


class Model(nn.Module):
    """Packed (varlen) causal self-attention with grouped KV heads, sliding window and attention sinks.

    forward(q, k, v, cu_seqlens) -> o
      q          float32 [T, num_heads, head_dim]
      k, v       float32 [T, num_kv_heads, head_dim]; any strides are allowed for q, k and v
      cu_seqlens int32 [B + 1], non-decreasing, starting at 0 and ending at T. Sequences may be
                 empty or of any length (not only multiples of a tile); B >= 1, T >= 0.
      o          float32 [T, num_heads, head_dim]

    Token i of a sequence sees the tokens j of the same sequence with j <= i and, when window > 0,
    i - j < window (so window=1 sees only itself); window=0 means no window. Scores are
    q.k / sqrt(head_dim). Each head h has one learned sink logit sinks[h], which takes part in the
    softmax denominator only: p_j = exp(s_j) / (exp(sinks[h]) + sum_j exp(s_j)).
    Query head h uses KV head h // (num_heads // num_kv_heads).

    Values are finite; scores and sinks may be as large as 1000 in magnitude, so the softmax has to
    be the stable one (accuracy asked for: 1e-3). cu_seqlens is contiguous. head_dim is 1..128 and need not be a power of two; num_kv_heads divides
    num_heads. Inputs must not be changed; sinks may be changed between calls. Forward only
    (no gradient is asked for).
    """

    def __init__(self, num_heads, num_kv_heads, head_dim, window=0):
        super().__init__()
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.head_dim = head_dim
        self.window = window
        self.sinks = nn.Parameter(torch.randn(num_heads))

    def forward(self, q, k, v, cu_seqlens):
        rep = self.num_heads // self.num_kv_heads
        out = torch.empty_like(q, memory_format=torch.contiguous_format)
        bounds = cu_seqlens.tolist()
        for a, b in zip(bounds[:-1], bounds[1:]):
            n = b - a
            if n == 0:
                continue
            kk = k[a:b].repeat_interleave(rep, dim=1)
            vv = v[a:b].repeat_interleave(rep, dim=1)
            s = torch.einsum("ihd,jhd->hij", q[a:b], kk) / self.head_dim ** 0.5
            i = torch.arange(n, device=q.device)
            dist = i[:, None] - i[None, :]
            mask = dist < 0
            if self.window > 0:
                mask = mask | (dist >= self.window)
            s = s.masked_fill(mask, float("-inf"))
            sink = self.sinks.to(q.dtype).view(-1, 1, 1).expand(-1, n, 1)
            p = torch.softmax(torch.cat([s, sink], dim=-1), dim=-1)[..., :-1]
            out[a:b] = torch.einsum("hij,jhd->ihd", p, vv)
        return out


def get_inputs():
    cu = torch.tensor([0, 16, 32, 64], dtype=torch.int32)
    return [torch.randn(64, 2, 32), torch.randn(64, 1, 32), torch.randn(64, 1, 32), cu]


def get_init_inputs():
    return [2, 1, 32]
