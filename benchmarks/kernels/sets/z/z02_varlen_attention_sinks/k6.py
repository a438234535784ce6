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
        # query tiles against key tiles with a running maximum that starts at the sink
        tile = 24
        rep = self.num_heads // self.num_kv_heads
        out = torch.empty(q.shape, dtype=q.dtype)
        sink = self.sinks.detach()[:, None]
        for a, e in zip(cu_seqlens[:-1].tolist(), cu_seqlens[1:].tolist()):
            for i0 in range(a, e, tile):
                i1 = min(i0 + tile, e)
                qi = q[i0:i1].transpose(0, 1) * (1.0 / self.head_dim ** 0.5)
                m = sink.expand(-1, i1 - i0).clone()
                l = torch.ones_like(m)
                acc = torch.zeros(self.num_heads, i1 - i0, self.head_dim)
                first = a if self.window <= 0 else max(a, i0 - self.window + 1)
                for j0 in range(first, i1, tile):
                    j1 = min(j0 + tile, i1)
                    kj = k[j0:j1].transpose(0, 1).repeat_interleave(rep, 0)
                    vj = v[j0:j1].transpose(0, 1).repeat_interleave(rep, 0)
                    s = qi @ kj.transpose(1, 2)
                    d = torch.arange(i0, i1)[:, None] - torch.arange(j0, j1)
                    bad = d < 0
                    if self.window > 0:
                        bad |= d >= self.window
                    s.masked_fill_(bad, float("-inf"))
                    m2 = torch.maximum(m, s.amax(-1))
                    c = torch.exp(m - m2)
                    p = torch.exp(s - m2[..., None])
                    l = l * c + p.sum(-1)
                    acc = acc * c[..., None] + p @ vj
                    m = m2
                out[i0:i1] = (acc / l[..., None]).transpose(0, 1)
        return out
