import math
import torch
import torch.nn as nn

batch_size = 2
num_heads = 8
num_kv_heads = 2
seq_len = 80
head_dim = 32
window = 24


def alibi_slopes(n):
    def power_of_two(m):
        start = 2.0 ** (-8.0 / m)
        return [start ** (i + 1) for i in range(m)]
    p = 2 ** int(math.floor(math.log2(n)))
    return power_of_two(p) + power_of_two(2 * p)[0::2][:n - p]


class Model(nn.Module):
    """
    Causal sliding-window attention with ALiBi, grouped key/value heads and padded batches.

    Query i sees key j if i - window < j <= i and j < lengths[b]. Its score is
    q.k / sqrt(head_dim) - slope[h] * (i - j), with the slopes of the ALiBi paper, which also says
    what to do when the number of heads is not a power of two (as in alibi_slopes). Query head h
    uses key/value head h // (num_heads // num_kv_heads). A query that sees no key gives zeros
    (queries well past the end of a short sequence). Softmax and sums are taken in float32.

    Inputs:
        q: (batch, num_heads, seq, head_dim), k, v: (batch, num_kv_heads, seq, head_dim), float16;
           either contiguous or views of a (batch, seq, heads, head_dim) projection. Unscaled
           products q.k of some heads go beyond float16's range.
        lengths: (batch,), int64, from 1 to seq.
    Returns:
        (batch, num_heads, seq, head_dim), float16. Inference only.
    """

    def __init__(self, num_heads, num_kv_heads, window):
        super().__init__()
        self.groups = num_heads // num_kv_heads
        self.window = window
        self.register_buffer("slopes", torch.tensor(alibi_slopes(num_heads)), persistent=False)

    def forward(self, q, k, v, lengths):
        T, D = q.shape[2], q.shape[3]
        kf = k.float().repeat_interleave(self.groups, 1)
        vf = v.float().repeat_interleave(self.groups, 1)
        s = q.float() @ kf.transpose(2, 3) / math.sqrt(D)
        i = torch.arange(T, device=q.device)
        dist = i[:, None] - i[None, :]
        s = s - self.slopes[:, None, None] * dist
        see = (dist >= 0) & (dist < self.window)
        see = (see[None] & (i[None, None, :] < lengths[:, None, None]))[:, None]
        s = s.masked_fill(~see, float("-inf"))
        p = torch.softmax(s, -1)
        p = torch.where(see.any(-1, keepdim=True), p, 0.0)
        return (p @ vf).half()


def get_inputs():
    q = torch.randn(batch_size, num_heads, seq_len, head_dim).half()
    k = torch.randn(batch_size, num_kv_heads, seq_len, head_dim).half()
    v = torch.randn(batch_size, num_kv_heads, seq_len, head_dim).half()
    lengths = torch.full((batch_size,), seq_len)
    lengths[-1] = seq_len - window // 2
    return [q, k, v, lengths]


def get_init_inputs():
    return [num_heads, num_kv_heads, window]
