import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Key/value heads are broadcast over the query heads by a view, not copied."""

    def __init__(self, num_heads, num_kv_heads, head_dim, softcap=0.0):
        super().__init__()
        self.hkv = num_kv_heads
        self.g = num_heads // num_kv_heads
        self.scale, self.softcap = head_dim ** -0.5, softcap

    def forward(self, q, k, v, mask):
        B, Hq, L, D = q.shape
        S = k.shape[2]
        qf = q.float().view(B, self.g, self.hkv, L, D)
        s = torch.matmul(qf, k.float().unsqueeze(1).transpose(-1, -2)) * self.scale
        if self.softcap > 0:
            s = self.softcap * torch.tanh(s / self.softcap)
        mask = mask.expand(B, Hq, L, S).reshape(B, self.g, self.hkv, L, S)
        s = s.masked_fill(~mask, float("-inf"))
        m = s.detach().amax(-1, keepdim=True)
        m = m.masked_fill(torch.isneginf(m), 0.0)
        e = torch.exp(s - m)
        z = e.sum(-1, keepdim=True)
        o = torch.matmul(e, v.float().unsqueeze(1)) / z.masked_fill(z == 0, 1.0)
        return o.reshape(B, Hq, L, -1).to(q.dtype), (z.log() + m).reshape(B, Hq, L)
