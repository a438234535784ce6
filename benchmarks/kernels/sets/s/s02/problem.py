"""Streaming sliding-window GQA attention with logit soft-capping and a KV cache.

The module is called again and again while text is decoded or prefilled in chunks.
Each call brings T >= 1 new tokens for every row of a fixed batch; T may change from
call to call and may be smaller or larger than the window (window >= 1). A token sees
itself and up to window - 1 tokens before it of the same row, across calls, but no
token from before the row's last reset. reset is a bool tensor (batch,): rows where
it is True forget their history before the new tokens are taken in (on the very first
call there is nothing to forget).

q (batch, n_q_heads, T, head_dim), k and v (batch, n_kv_heads, T, head_dim), float32,
finite, magnitude up to 100, any strides. n_q_heads is a multiple of n_kv_heads; query
head h uses kv head h // (n_q_heads // n_kv_heads). 0 < softcap <= 60.
The caller owns its tensors: they are not changed by the call and may be overwritten
by the caller between calls. A returned tensor stays as it is however many calls follow.
Inference only, no gradients.
"""
import torch
import torch.nn as nn


class Model(nn.Module):
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
        T = q.shape[2]
        W = self.window
        n_valid = torch.where(reset, torch.zeros_like(self.n_valid), self.n_valid)
        keys = torch.cat([self.k_cache, k.to(self.k_cache.dtype)], dim=2)
        vals = torch.cat([self.v_cache, v.to(self.v_cache.dtype)], dim=2)
        self.k_cache = keys[:, :, T:].clone()
        self.v_cache = vals[:, :, T:].clone()
        self.n_valid = (n_valid + T).clamp(max=W - 1)

        t = torch.arange(T)[:, None]
        j = torch.arange(W - 1 + T)[None, :]
        in_window = (j >= t) & (j <= t + W - 1)
        alive = j >= (W - 1 - n_valid)[:, None, None]
        mask = (in_window & alive)[:, None]

        keys = keys.repeat_interleave(self.rep, dim=1)
        vals = vals.repeat_interleave(self.rep, dim=1)
        s = (q.to(keys.dtype) @ keys.transpose(-1, -2)) * self.scale
        s = self.softcap * torch.tanh(s / self.softcap)
        p = torch.softmax(s.masked_fill(~mask, float("-inf")), dim=-1)
        return p @ vals


batch = 2
n_q_heads = 4
n_kv_heads = 2
head_dim = 32
window = 16
softcap = 50.0
T = 24


def get_inputs():
    q = torch.randn(batch, n_q_heads, T, head_dim)
    k = torch.randn(batch, n_kv_heads, T, head_dim)
    v = torch.randn(batch, n_kv_heads, T, head_dim)
    return [q, k, v, torch.ones(batch, dtype=torch.bool)]


def get_init_inputs():
    return [batch, n_q_heads, n_kv_heads, head_dim, window, softcap]
