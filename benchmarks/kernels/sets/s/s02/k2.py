import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Right-aligned cache; keeps the last window - 1 tokens of the stream."""

    def __init__(self, batch, n_q_heads, n_kv_heads, head_dim, window, softcap):
        super().__init__()
        self.rep = n_q_heads // n_kv_heads
        self.window = window
        self.softcap = softcap
        self.scale = head_dim ** -0.5
        shape = (batch, n_kv_heads, window - 1, head_dim)
        self.register_buffer("k_cache", torch.zeros(shape), persistent=False)
        self.register_buffer("v_cache", torch.zeros(shape), persistent=False)
        self.register_buffer("n_valid", torch.zeros(batch, dtype=torch.int64), persistent=False)

    @torch.no_grad()
    def forward(self, q, k, v, reset):
        B, H, T, D = q.shape
        keep = self.window - 1
        n = self.n_valid.masked_fill(reset, 0)
        kk = torch.cat((self.k_cache, k), 2)
        vv = torch.cat((self.v_cache, v), 2)
        if T >= keep:
            self.k_cache = k[:, :, T - keep:]
            self.v_cache = v[:, :, T - keep:]
        else:
            self.k_cache = kk[:, :, T:].clone()
            self.v_cache = vv[:, :, T:].clone()
        self.n_valid = torch.clamp(n + T, max=keep)

        i = torch.arange(T, device=q.device).view(1, T, 1)
        j = torch.arange(keep + T, device=q.device).view(1, 1, -1)
        ok = (j >= i) & (j <= i + keep) & (j >= (keep - n).view(B, 1, 1))
        qg = q.reshape(B, -1, self.rep, T, D)
        s = torch.matmul(qg, kk.unsqueeze(2).transpose(-1, -2)) * self.scale
        s = self.softcap * torch.tanh(s / self.softcap)
        s = torch.where(ok[:, None, None], s, torch.full_like(s, float("-inf")))
        return torch.matmul(s.softmax(-1), vv.unsqueeze(2)).reshape(B, H, T, D)
