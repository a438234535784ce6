import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Right-aligned cache; the chunk is handled as one masked product."""

    def __init__(self, batch, n_q_heads, n_kv_heads, head_dim, window, softcap):
        super().__init__()
        self.rep = n_q_heads // n_kv_heads
        self.window = window
        self.softcap = softcap
        self.scale = head_dim ** -0.5
        self.shape = (batch, n_kv_heads, window - 1, head_dim)
        self.register_buffer("k_cache", torch.zeros(self.shape), persistent=False)
        self.register_buffer("v_cache", torch.zeros(self.shape), persistent=False)
        self.filled = 0

    @torch.no_grad()
    def forward(self, q, k, v, reset):
        B, H, T, D = q.shape
        W = self.window
        drop = reset[:, None, None, None]
        old_k = self.k_cache.masked_fill(drop, 0.0)
        old_v = self.v_cache.masked_fill(drop, 0.0)
        if bool(reset.all()):
            self.filled = 0
        kk = torch.cat((old_k, k), 2)
        vv = torch.cat((old_v, v), 2)
        i = torch.arange(T, device=q.device)[:, None]
        j = torch.arange(W - 1 + T, device=q.device)[None]
        ok = (j >= i) & (j <= i + W - 1) & (j >= W - 1 - self.filled)
        kk_r = kk.repeat_interleave(self.rep, 1)
        vv_r = vv.repeat_interleave(self.rep, 1)
        s = q @ kk_r.mT * self.scale
        s = (torch.tanh(s / self.softcap) * self.softcap).masked_fill(~ok, float("-inf"))
        out = s.softmax(-1) @ vv_r
        self.k_cache = kk[:, :, T:].clone()
        self.v_cache = vv[:, :, T:].clone()
        self.filled = min(W - 1, self.filled + T)
        return out
