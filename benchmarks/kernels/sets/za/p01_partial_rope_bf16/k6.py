import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, head_dim=64, rotary_dim=32, base=10000.0):
        super().__init__()
        self.head_dim = head_dim
        self.rotary_dim = rotary_dim
        inv_freq = 1.0 / (base ** (torch.arange(0, rotary_dim, 2, dtype=torch.float32) / rotary_dim))
        self.register_buffer("inv_freq", inv_freq, persistent=False)

    def _launch(self, x, cos, sin):
        B, T, H, D = x.shape
        rd = self.rotary_dim
        tok_stride = x.stride(1)
        row = x.as_strided((B, T, H, rd // 2, 2), (T * tok_stride, tok_stride, D, 2, 1))
        tail = x.as_strided((B, T, H, D - rd), (T * tok_stride, tok_stride, D, 1), x.storage_offset() + rd)
        out = torch.empty((B, T, H, D), dtype=x.dtype, device=x.device)
        a, b = row.float().unbind(-1)
        out[..., 0:rd:2] = (a * cos - b * sin).to(x.dtype)
        out[..., 1:rd:2] = (a * sin + b * cos).to(x.dtype)
        out[..., rd:] = tail
        return out

    def forward(self, q, k, positions):
        ang = (positions.float().unsqueeze(-1) * self.inv_freq).unsqueeze(2)
        cos, sin = ang.cos(), ang.sin()
        return self._launch(q, cos, sin), self._launch(k, cos, sin)
