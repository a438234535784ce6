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
        out = torch.zeros(q.shape, dtype=q.dtype)
        group = self.num_heads // self.num_kv_heads
        cu = cu_seqlens.tolist()
        for b in range(len(cu) - 1):
            lo, hi = cu[b], cu[b + 1]
            if hi == lo:
                continue
            qs = q[lo:hi].transpose(0, 1).reshape(self.num_kv_heads, group, hi - lo, -1)
            ks = k[lo:hi].permute(1, 2, 0).unsqueeze(1)
            vs = v[lo:hi].transpose(0, 1).unsqueeze(1)
            s = torch.matmul(qs, ks) * (self.head_dim ** -0.5)
            keep = torch.ones(hi - lo, hi - lo, dtype=torch.bool).tril()
            if self.window > 0:
                keep = keep.triu(-self.window)
            s = s.masked_fill(~keep, float("-inf"))
            sink = self.sinks.detach().view(self.num_kv_heads, group, 1, 1)
            m = torch.maximum(s.amax(-1, keepdim=True), sink)
            p = torch.exp(s - m)
            o = torch.matmul(p, vs) / (p.sum(-1, keepdim=True) + torch.exp(sink - m))
            out[lo:hi] = o.reshape(self.num_heads, hi - lo, -1).transpose(0, 1)
        return out
