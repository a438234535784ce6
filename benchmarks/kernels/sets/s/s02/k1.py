import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Per-row ring buffer of `window` slots, tokens written one after another."""

    def __init__(self, batch, n_q_heads, n_kv_heads, head_dim, window, softcap):
        super().__init__()
        self.n_kv = n_kv_heads
        self.rep = n_q_heads // n_kv_heads
        self.window = window
        self.softcap = softcap
        self.scale = head_dim ** -0.5
        shape = (batch, n_kv_heads, window, head_dim)
        self.register_buffer("k_ring", torch.zeros(shape), persistent=False)
        self.register_buffer("v_ring", torch.zeros(shape), persistent=False)
        self.register_buffer("pos", torch.zeros(batch, dtype=torch.int64), persistent=False)

    @torch.no_grad()
    def forward(self, q, k, v, reset):
        B, H, T, D = q.shape
        self.pos.masked_fill_(reset, 0)
        rows = torch.arange(B, device=q.device)
        slots = torch.arange(self.window, device=q.device)
        qg = q.reshape(B, self.n_kv, self.rep, T, D) * self.scale
        out = torch.empty(B, H, T, D, dtype=q.dtype, device=q.device)
        for t in range(T):
            at = self.pos % self.window
            self.k_ring[rows, :, at] = k[:, :, t]
            self.v_ring[rows, :, at] = v[:, :, t]
            self.pos += 1
            live = slots < self.pos.clamp(max=self.window)[:, None]
            s = torch.einsum("bgrd,bgsd->bgrs", qg[:, :, :, t], self.k_ring)
            s = self.softcap * torch.tanh(s / self.softcap)
            s = s.masked_fill(~live[:, None, None], float("-inf"))
            o = torch.einsum("bgrs,bgsd->bgrd", s.softmax(-1), self.v_ring)
            out[:, :, t] = o.reshape(B, H, D)
        return out
