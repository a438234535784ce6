import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, num_heads, num_kv_heads, head_dim, window=0):
        super().__init__()
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.head_dim = head_dim
        self.window = window
        self.sinks = nn.Parameter(torch.randn(num_heads))

    def forward(self, q, k, v, cu_seqlens):
        reps = self.num_heads // self.num_kv_heads
        kf = k.repeat(1, reps, 1)
        vf = v.repeat(1, reps, 1)
        chunks = []
        for a, b in zip(cu_seqlens[:-1].tolist(), cu_seqlens[1:].tolist()):
            n = b - a
            s = torch.einsum("ihd,jhd->ihj", q[a:b], kf[a:b]) / (self.head_dim ** 0.5)
            idx = torch.arange(n)
            hidden = idx[None, :] > idx[:, None]
            if self.window > 0:
                hidden = hidden | (idx[None, :] <= idx[:, None] - self.window)
            s = s.masked_fill(hidden[:, None, :], float("-inf"))
            sink = self.sinks.detach()[None, :, None].expand(n, -1, 1)
            w = torch.softmax(torch.cat((sink, s), dim=2), dim=2)
            chunks.append(torch.einsum("ihj,jhd->ihd", w[:, :, 1:], vf[a:b]))
        return torch.cat(chunks, 0)
