import torch
import torch.nn as nn

TILE = 32


class ModelNew(nn.Module):
    """Keys viewed as (blocks, TILE), partial softmaxes per block merged at the end."""

    def __init__(self, num_heads, num_kv_heads, head_dim, softcap=0.0):
        super().__init__()
        self.group = num_heads // num_kv_heads
        self.scale = head_dim ** -0.5
        self.softcap = softcap

    def forward(self, q, k, v, mask):
        B, Hq, L, D = q.shape
        S = k.shape[2]
        ninf = float("-inf")
        kk = k.float().repeat_interleave(self.group, dim=1)
        vv = v.float().repeat_interleave(self.group, dim=1)
        mask = mask.expand(B, Hq, L, S)
        num_tiles = max(1, S // TILE)
        tops, sums, accs = [], [], []
        for t in range(num_tiles):
            sl = slice(t * TILE, (t + 1) * TILE)
            s = torch.matmul(q.float(), kk[:, :, sl].transpose(-1, -2)) * self.scale
            if self.softcap > 0:
                s = self.softcap * torch.tanh(s / self.softcap)
            s = s.masked_fill(~mask[..., sl], ninf)
            m = s.detach().amax(-1, keepdim=True)
            p = torch.exp(s - m.masked_fill(m == ninf, 0.0))
            tops.append(m)
            sums.append(p.sum(-1, keepdim=True))
            accs.append(torch.matmul(p, vv[:, :, sl]))
        top = torch.stack(tops).amax(0)
        safe = top.masked_fill(top == ninf, 0.0)
        w = [torch.exp(m - safe) for m in tops]
        den = sum(a * b for a, b in zip(w, sums))
        out = sum(a * b for a, b in zip(w, accs)) / den.masked_fill(den == 0, 1.0)
        return out.to(q.dtype), (den.log() + safe).squeeze(-1)
