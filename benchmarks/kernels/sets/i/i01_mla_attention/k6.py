import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, d_model, n_heads, d_nope, d_rope, d_v, kv_rank):
        super().__init__()
        self.h, self.dn, self.dr, self.dv, self.rank = n_heads, d_nope, d_rope, d_v, kv_rank
        self.wq = nn.Linear(d_model, n_heads * (d_nope + d_rope), bias=False)
        self.w_dkv = nn.Linear(d_model, kv_rank + d_rope, bias=False)
        self.kv_norm = nn.Parameter(torch.ones(kv_rank))
        self.w_uk = nn.Parameter(torch.randn(n_heads, d_nope, kv_rank) / math.sqrt(kv_rank))
        self.w_uv = nn.Parameter(torch.randn(n_heads, d_v, kv_rank) / math.sqrt(kv_rank))
        self.wo = nn.Linear(n_heads * d_v, d_model, bias=False)

    def _rot(self, t):
        S, dr = t.shape[-2], t.shape[-1]
        inv = torch.pow(10000.0, -torch.arange(dr // 2, device=t.device, dtype=torch.float64) * 2 / dr)
        a = torch.arange(S, device=t.device, dtype=torch.float64)[:, None] * inv.repeat_interleave(2)
        c, s = a.cos().to(t.dtype), a.sin().to(t.dtype)
        swapped = torch.stack((-t[..., 1::2], t[..., 0::2]), -1).reshape(t.shape)
        return torch.addcmul(t * c, swapped, s)

    def forward(self, x, lengths):
        B, S, _ = x.shape
        q = self.wq(x).view(B, S, self.h, -1).transpose(1, 2)
        c = self.w_dkv(x)
        lat = c[..., : self.rank]
        lat = lat / (lat.square().mean(-1, keepdim=True) + 1e-6).sqrt()
        lat = lat * self.kv_norm
        kr = self._rot(c[..., self.rank :])
        w = torch.cat((self.w_uk, self.w_uv), 1).flatten(0, 1)
        kv = F.linear(lat, w).view(B, S, self.h, -1).transpose(1, 2)
        kn, v = kv.split((self.dn, self.dv), -1)
        k = torch.cat((kn, kr[:, None].expand(B, self.h, S, self.dr)), -1)
        q = torch.cat((q[..., : self.dn], self._rot(q[..., self.dn :])), -1)
        # right padding + causal: no valid row can see a padded key
        o = F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=1.0 / math.sqrt(v.shape[-1] + self.dr))
        o = self.wo(o.transpose(1, 2).flatten(2))
        live = torch.arange(S, device=x.device).unsqueeze(0) < lengths.unsqueeze(1)
        return torch.where(live.unsqueeze(-1), o, torch.zeros((), dtype=o.dtype, device=o.device))
