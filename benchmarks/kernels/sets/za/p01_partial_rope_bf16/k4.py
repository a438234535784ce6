import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, head_dim=64, rotary_dim=32, base=10000.0):
        super().__init__()
        self.rotary_dim = rotary_dim
        inv_freq = 1.0 / (base ** (torch.arange(0, rotary_dim, 2, dtype=torch.float32) / rotary_dim))
        self.register_buffer("inv_freq", inv_freq, persistent=False)

    def forward(self, q, k, positions):
        rd = self.rotary_dim
        B, T = positions.shape
        pos = positions.to(q.dtype)
        freqs = torch.einsum("bt,f->btf", pos.float(), self.inv_freq)
        emb = freqs.repeat_interleave(2, dim=-1).unsqueeze(2)
        cos, sin = emb.cos(), emb.sin()

        def rotate_every_two(x):
            x1 = x[..., ::2]
            x2 = x[..., 1::2]
            return torch.stack((-x2, x1), dim=-1).flatten(-2)

        def apply(x):
            r = x[..., :rd].float()
            r = r * cos + rotate_every_two(r) * sin
            return torch.cat((r.to(x.dtype), x[..., rd:]), dim=-1)

        return apply(q), apply(k)
