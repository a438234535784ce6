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
        kr = self._rot(c[..., self.rank :].unsqueeze(2)).squeeze(2)
        # fold W_uk into the query: attention runs in the latent space, K is never built
        qa = torch.einsum("bqhd,hdr->bhqr", q[..., : self.dn], self.w_uk)
        qr = self._rot(q[..., self.dn :]).transpose(1, 2)
        qq = torch.cat((qa, qr), -1) * (self.dn + self.dr) ** -0.5
        kk = torch.cat((lat, kr), -1)
        sc = qq @ kk.unsqueeze(1).transpose(-1, -2)
        sc = sc + torch.full((S, S), float("-inf"), dtype=sc.dtype, device=sc.device).triu(1)
        p = sc.softmax(-1)
        ctx = p @ lat.unsqueeze(1)                      # (B, H, S, rank)
        o = torch.einsum("bhqr,hdr->bqhd", ctx, self.w_uv).reshape(B, S, -1)
        pad = torch.arange(S, device=x.device)[None] >= lengths[:, None]
        return self.wo(o.masked_fill(pad[..., None], 0.0))
