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
        self._abs = None

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

    @torch.no_grad()
    def _absorb(self):
        # W_q(nope) and W_uk only ever meet as a product: build it once
        wq = self.wq.weight.view(self.h, self.dn + self.dr, -1)
        self._abs = torch.einsum("hdm,hdr->hrm", wq[:, : self.dn], self.w_uk).contiguous()

    def forward(self, x, lengths):
        B, S, _ = x.shape
        if self._abs is None or self._abs.dtype != x.dtype or self._abs.device != x.device:
            self._absorb()
        qa = torch.einsum("bsm,hrm->bhsr", x, self._abs)
        wqr = self.wq.weight.view(self.h, self.dn + self.dr, -1)[:, self.dn :]
        qr = self._rot(torch.einsum("bsm,hdm->bshd", x, wqr)).transpose(1, 2)
        c = self.w_dkv(x)
        lat = F.rms_norm(c[..., : self.rank], (self.rank,), self.kv_norm, 1e-6)
        kr = self._rot(c[..., self.rank :].unsqueeze(2)).squeeze(2)
        sc = (qa @ lat[:, None].transpose(-1, -2) + qr @ kr[:, None].transpose(-1, -2)) * (self.dn + self.dr) ** -0.5
        sc = sc.masked_fill(torch.ones(S, S, dtype=torch.bool, device=x.device).triu(1), float("-inf"))
        ctx = sc.softmax(-1) @ lat[:, None]
        o = torch.einsum("bhqr,hdr->bqhd", ctx, self.w_uv).flatten(2)
        keep = torch.arange(S, device=x.device)[None] < lengths[:, None]
        return self.wo(o) * keep[..., None]
