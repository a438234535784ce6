import torch
import torch.nn as nn

BLOCK_N = 32


class ModelNew(nn.Module):
    """Online softmax over key blocks, with the finished rows selected at the end."""

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
        qf = q.float() * self.scale
        allowed = mask.expand(B, Hq, L, S)
        m = torch.full((B, Hq, L, 1), ninf, device=q.device)
        den = torch.zeros_like(m)
        acc = torch.zeros(B, Hq, L, v.shape[-1], device=q.device)
        for lo in range(0, S, BLOCK_N):
            s = torch.matmul(qf, kk[:, :, lo:lo + BLOCK_N].transpose(-1, -2))
            if self.softcap > 0:
                s = self.softcap * torch.tanh(s / self.softcap)
            s = s.masked_fill(~allowed[..., lo:lo + BLOCK_N], ninf)
            m_new = torch.maximum(m, s.detach().amax(-1, keepdim=True))
            alpha = torch.exp(m - m_new)
            p = torch.exp(s - m_new)
            den = den * alpha + p.sum(-1, keepdim=True)
            acc = acc * alpha + torch.matmul(p, vv[:, :, lo:lo + BLOCK_N])
            m = m_new
        live = allowed.any(-1, keepdim=True)
        out = torch.where(live, acc / den, torch.zeros_like(acc))
        lse = torch.where(live, torch.log(den) + m, torch.full_like(m, ninf))
        return out.to(q.dtype), lse.squeeze(-1)
