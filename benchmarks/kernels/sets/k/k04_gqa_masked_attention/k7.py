import torch
import torch.nn as nn

BLOCK_N = 64


class ModelNew(nn.Module):
    """Streaming softmax; the probabilities go to the second product in the input's dtype."""

    def __init__(self, num_heads, num_kv_heads, head_dim, softcap=0.0):
        super().__init__()
        self.group = num_heads // num_kv_heads
        self.scale = head_dim ** -0.5
        self.softcap = softcap

    def forward(self, q, k, v, mask):
        B, Hq, L, D = q.shape
        S = k.shape[2]
        ninf = float("-inf")
        kk = k.repeat_interleave(self.group, 1)
        vv = v.repeat_interleave(self.group, 1)
        mask = mask.expand(B, Hq, L, S)
        m = torch.full((B, Hq, L, 1), ninf, device=q.device)
        den = torch.zeros_like(m)
        acc = torch.zeros(B, Hq, L, v.shape[-1], device=q.device)
        for lo in range(0, S, BLOCK_N):
            s = torch.matmul(q.float(), kk[:, :, lo:lo + BLOCK_N].float().transpose(-1, -2))
            s = s * self.scale
            if self.softcap > 0:
                s = self.softcap * torch.tanh(s / self.softcap)
            s = s.masked_fill(~mask[..., lo:lo + BLOCK_N], ninf)
            m_new = torch.maximum(m, s.detach().amax(-1, keepdim=True))
            safe = m_new.masked_fill(m_new == ninf, 0.0)
            p = torch.exp(s - safe)
            alpha = torch.exp(m - safe)
            den = den * alpha + p.sum(-1, keepdim=True)
            acc = acc * alpha + torch.matmul(p.to(v.dtype).float(), vv[:, :, lo:lo + BLOCK_N].float())
            m = m_new
        safe = m.masked_fill(m == ninf, 0.0)
        out = acc / den.masked_fill(den == 0, 1.0)
        return out.to(q.dtype), (torch.log(den) + safe).squeeze(-1)
