import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Streaming window attention on top of scaled_dot_product_attention."""

    def __init__(self, batch, n_q_heads, n_kv_heads, head_dim, window, softcap):
        super().__init__()
        self.rep = n_q_heads // n_kv_heads
        self.window = window
        self.softcap = softcap
        shape = (batch, n_kv_heads, window - 1, head_dim)
        self.register_buffer("k_cache", torch.zeros(shape), persistent=False)
        self.register_buffer("v_cache", torch.zeros(shape), persistent=False)
        self.register_buffer("n_valid", torch.zeros(batch, dtype=torch.int64), persistent=False)

    @torch.no_grad()
    def forward(self, q, k, v, reset):
        T, W = q.shape[2], self.window
        n = self.n_valid.masked_fill(reset, 0)
        kk = torch.cat((self.k_cache, k), 2)
        vv = torch.cat((self.v_cache, v), 2)
        self.k_cache, self.v_cache = kk[:, :, T:].clone(), vv[:, :, T:].clone()
        self.n_valid = (n + T).clamp(max=W - 1)
        i = torch.arange(T, device=q.device)[:, None]
        j = torch.arange(W - 1 + T, device=q.device)
        ok = (j >= i) & (j - i < W) & (j >= (W - 1 - n)[:, None, None])
        return F.scaled_dot_product_attention(
            q, kk.repeat_interleave(self.rep, 1), vv.repeat_interleave(self.rep, 1),
            attn_mask=ok[:, None])
