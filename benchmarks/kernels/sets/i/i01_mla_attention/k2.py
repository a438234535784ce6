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
        """Interleaved rotary embedding as a complex multiplication; t is (B, S, n, dr)."""
        S, dr = t.shape[1], t.shape[-1]
        f = torch.exp(torch.arange(0, dr, 2, dtype=torch.float64, device=t.device) * (-math.log(10000.0) / dr))
        ang = torch.outer(torch.arange(S, dtype=torch.float64, device=t.device), f)
        ph = torch.polar(torch.ones_like(ang), ang)
        ph = ph.to(torch.complex64 if t.dtype == torch.float32 else torch.complex128)
        z = torch.complex(t[..., 0::2], t[..., 1::2])
        z = z * ph[None, :, None]
        return torch.stack((z.real, z.imag), -1).flatten(-2)

    def forward(self, x, lengths):
        B, S, _ = x.shape
        q = self.wq(x).view(B, S, self.h, -1)
        c = self.w_dkv(x)
        lat = F.rms_norm(c[..., : self.rank], (self.rank,), self.kv_norm, 1e-6)
        kr = self._rot(c[..., self.rank :].unsqueeze(2))
        kn = torch.einsum("bsr,hdr->bhsd", lat, self.w_uk)
        v = torch.einsum("bsr,hdr->bhsd", lat, self.w_uv)
        k = torch.cat((kn, kr.transpose(1, 2).expand(-1, self.h, -1, -1)), -1)
        qq = torch.cat((q[..., : self.dn], self._rot(q[..., self.dn :])), -1).transpose(1, 2)
        # logits in base 2
        qq = qq * (1.4426950408889634 / math.sqrt(self.dn + self.dr))
        BK = 16
        m = x.new_full((B, self.h, S, 1), -1e30)
        l = x.new_zeros((B, self.h, S, 1))
        acc = x.new_zeros((B, self.h, S, self.dv))
        pos = torch.arange(S, device=x.device)
        for j in range(0, S - BK + 1, BK):
            e = min(j + BK, S)
            s = qq @ k[:, :, j:e].transpose(-1, -2)
            ok = (pos[None, j:e] <= pos[:, None]) & (pos[None, j:e] < lengths[:, None, None])[:, None]
            s = s.masked_fill(~ok, -1e30)
            mn = torch.maximum(m, s.amax(-1, keepdim=True).detach())
            p = torch.exp2(s - mn).masked_fill(~ok, 0.0)
            r = torch.exp2(m - mn)
            l = l * r + p.sum(-1, keepdim=True)
            acc = acc * r + p @ v[:, :, j:e]
            m = mn
        o = (acc / l.clamp_min(1e-30)).transpose(1, 2).reshape(B, S, -1)
        return self.wo(o) * (pos[None] < lengths[:, None])[..., None]
