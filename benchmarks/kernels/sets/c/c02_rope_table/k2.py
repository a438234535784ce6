import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, rotary_dim, max_pos, base):
        super().__init__()
        self.rotary_dim = rotary_dim
        inv = 1.0 / (base ** (torch.arange(0, rotary_dim, 2).float() / rotary_dim))
        ang = torch.outer(torch.arange(max_pos).float(), inv)
        self.register_buffer("cos_table", ang.cos())
        self.register_buffer("sin_table", ang.sin())
        self._ws = {}

    def _buf(self, tag, x):
        key = (tag, tuple(x.shape), x.dtype)
        if key not in self._ws:
            self._ws[key] = torch.empty(x.shape, dtype=x.dtype)
        return self._ws[key]

    @torch.no_grad()
    def forward(self, q, k, positions):
        half = self.rotary_dim // 2
        cos = self.cos_table[positions].unsqueeze(2)
        sin = self.sin_table[positions].unsqueeze(2)
        res = []
        for tag, x in (("q", q), ("k", k)):
            o = self._buf(tag, x)
            a, b = x[..., :half], x[..., half:2 * half]
            torch.mul(a, cos, out=o[..., :half]).sub_(b * sin)
            torch.mul(b, cos, out=o[..., half:2 * half]).add_(a * sin)
            o[..., 2 * half:] = x[..., 2 * half:]
            res.append(o)
        return tuple(res)
