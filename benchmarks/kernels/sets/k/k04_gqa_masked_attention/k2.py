import torch
import torch.nn as nn

BLOCK_N = 32


class ModelNew(nn.Module):
    """Streaming softmax over blocks of keys."""

    def __init__(self, num_heads, num_kv_heads, head_dim, softcap=0.0):
        super().__init__()
        self.group = num_heads // num_kv_heads
        self.scale = head_dim ** -0.5
        self.softcap = softcap

    def forward(self, q, k, v, mask):
        B, Hq, L, D = q.shape
        S = k.shape[2]
        ninf = float("-inf")
        qf = q.float().reshape(B, Hq // self.group, self.group, L, D)
        mask = mask.expand(B, Hq, L, S).reshape(B, Hq // self.group, self.group, L, S)
        m = qf.new_full(qf.shape[:-1] + (1,), ninf)
        den = torch.zeros_like(m)
        acc = qf.new_zeros(qf.shape[:-1] + (v.shape[-1],))
        for lo in range(0, S, BLOCK_N):
            kb = k[:, :, None, lo:lo + BLOCK_N].float()
            vb = v[:, :, None, lo:lo + BLOCK_N].float()
            s = torch.matmul(qf, kb.transpose(-1, -2)) * self.scale
            if self.softcap > 0:
                s = self.softcap * torch.tanh(s / self.softcap)
            s = s.masked_fill(~mask[..., lo:lo + BLOCK_N], ninf)
            m_new = torch.maximum(m, s.detach().amax(-1, keepdim=True))
            safe = m_new.masked_fill(m_new == ninf, 0.0)
            p = torch.exp(s - safe)
            alpha = torch.exp(m - safe)
            den = den * alpha + p.sum(-1, keepdim=True)
            acc = acc * alpha + torch.matmul(p, vb)
            m = m_new
        safe = m.masked_fill(m == ninf, 0.0)
        out = acc / den.masked_fill(den == 0, 1.0)
        lse = (torch.log(den) + safe).squeeze(-1)
        return out.reshape(B, Hq, L, -1).to(q.dtype), lse.reshape(B, Hq, L)
