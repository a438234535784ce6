import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Whole rows at once, the mask applied as an additive term."""

    def __init__(self, num_heads, num_kv_heads, head_dim, softcap=0.0):
        super().__init__()
        self.num_heads, self.num_kv_heads = num_heads, num_kv_heads
        self.scale, self.softcap = head_dim ** -0.5, softcap

    def forward(self, q, k, v, mask):
        B, Hq, L, D = q.shape
        g = self.num_heads // self.num_kv_heads
        qf = q.float().reshape(B, self.num_kv_heads, g, L, D)
        s = torch.einsum("bhgld,bhsd->bhgls", qf, k.float()) * self.scale
        if self.softcap > 0:
            s = self.softcap * torch.tanh(s / self.softcap)
        bias = (1.0 - mask.float()) * -10000.0
        bias = bias.expand(B, Hq, L, -1).reshape(B, self.num_kv_heads, g, L, -1)
        s = s + bias
        m = s.detach().amax(-1, keepdim=True)
        e = torch.exp(s - m)
        z = e.sum(-1, keepdim=True)
        o = torch.einsum("bhgls,bhsd->bhgld", e / z, v.float())
        return o.reshape(B, Hq, L, -1).to(q.dtype), (torch.log(z) + m).reshape(B, Hq, L)
