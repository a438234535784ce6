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
        T = q.shape[0]
        lens = (cu_seqlens[1:] - cu_seqlens[:-1]).long()
        seg = torch.repeat_interleave(torch.arange(lens.numel()), lens)
        pos = torch.arange(T)
        dist = pos[:, None] - pos[None, :]
        ok = (seg[:, None] == seg[None, :]) & (dist >= 0)
        if self.window > 0:
            ok &= dist < self.window
        out = torch.empty(q.shape, dtype=q.dtype)
        rep = self.num_heads // self.num_kv_heads
        for h in range(self.num_heads):
            qh, kh, vh = q[:, h].double(), k[:, h // rep].double(), v[:, h // rep].double()
            s = (qh @ kh.t()) * self.head_dim ** -0.5
            s = s.masked_fill(~ok, float("-inf"))
            sink = self.sinks[h].detach().double()
            lse = torch.logaddexp(torch.logsumexp(s, 1), sink) if T else s.new_zeros(0)
            out[:, h] = (torch.exp(s - lse[:, None]) @ vh).float()
        return out
