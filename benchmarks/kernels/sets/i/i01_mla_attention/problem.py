import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Multi-head latent attention (causal, right-padded batch).

    Keys and values come from one low-rank latent per token (RMS-normalised); a small
    rotary part of the key is shared by all heads. Rotary pairs are interleaved.
    lengths[b] in 1..S: rows at or beyond it are padding and come out as zero.
    Used in training: gradients flow to x and to all parameters.
    """

    def __init__(self, d_model, n_heads, d_nope, d_rope, d_v, kv_rank):
        super().__init__()
        self.h, self.dn, self.dr, self.dv, self.rank = n_heads, d_nope, d_rope, d_v, kv_rank
        self.eps = 1e-6
        self.wq = nn.Linear(d_model, n_heads * (d_nope + d_rope), bias=False)
        self.w_dkv = nn.Linear(d_model, kv_rank + d_rope, bias=False)
        self.kv_norm = nn.Parameter(torch.ones(kv_rank))
        self.w_uk = nn.Parameter(torch.randn(n_heads, d_nope, kv_rank) / math.sqrt(kv_rank))
        self.w_uv = nn.Parameter(torch.randn(n_heads, d_v, kv_rank) / math.sqrt(kv_rank))
        self.wo = nn.Linear(n_heads * d_v, d_model, bias=False)

    def rope(self, t):  # (B, S, ..., dr)
        S, dr = t.shape[1], t.shape[-1]
        inv = 10000.0 ** (-torch.arange(0, dr, 2, device=t.device, dtype=t.dtype) / dr)
        ang = torch.arange(S, device=t.device, dtype=t.dtype)[:, None] * inv
        shape = [1, S] + [1] * (t.dim() - 3) + [dr // 2]
        c, s = ang.cos().view(shape), ang.sin().view(shape)
        a, b = t[..., 0::2], t[..., 1::2]
        return torch.stack((a * c - b * s, a * s + b * c), -1).flatten(-2)

    def forward(self, x, lengths):
        B, S, _ = x.shape
        q = self.wq(x).view(B, S, self.h, self.dn + self.dr)
        qn, qr = q.split((self.dn, self.dr), -1)
        qr = self.rope(qr)
        lat, kr = self.w_dkv(x).split((self.rank, self.dr), -1)
        lat = lat * torch.rsqrt(lat.pow(2).mean(-1, keepdim=True) + self.eps) * self.kv_norm
        kr = self.rope(kr)
        kn = torch.einsum("bsr,hdr->bhsd", lat, self.w_uk)
        v = torch.einsum("bsr,hdr->bhsd", lat, self.w_uv)
        sc = torch.einsum("bqhd,bhkd->bhqk", qn, kn) + torch.einsum("bqhd,bkd->bhqk", qr, kr)
        sc = sc / math.sqrt(self.dn + self.dr)
        i = torch.arange(S, device=x.device)
        ok = (i[None, :] <= i[:, None])[None] & (i[None, None, :] < lengths[:, None, None])
        sc = sc.masked_fill(~ok[:, None], float("-inf"))
        o = sc.softmax(-1) @ v
        o = self.wo(o.transpose(1, 2).reshape(B, S, self.h * self.dv))
        return o * (i[None, :] < lengths[:, None])[..., None].to(o.dtype)


B = 2
S = 64
D_MODEL = 64
HEADS = 4
D_NOPE = 16
D_ROPE = 8
D_V = 16
KV_RANK = 32


def get_inputs():
    lengths = torch.randint((S + 1) // 2, S + 1, (B,))
    lengths[0] = S
    return [torch.randn(B, S, D_MODEL), lengths]


def get_init_inputs():
    return [D_MODEL, HEADS, D_NOPE, D_ROPE, D_V, KV_RANK]
