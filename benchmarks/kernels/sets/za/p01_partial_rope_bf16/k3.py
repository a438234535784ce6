import torch
import torch.nn as nn


class ModelNew(nn.Module):
    MAX_POS = 8192

    def __init__(self, head_dim=64, rotary_dim=32, base=10000.0):
        super().__init__()
        self.rotary_dim = rotary_dim
        inv = 1.0 / (base ** (torch.arange(0, rotary_dim, 2, dtype=torch.float64) / rotary_dim))
        t = torch.outer(torch.arange(self.MAX_POS, dtype=torch.float64), inv)
        table = torch.cat([t.cos(), t.sin()], dim=-1).float()
        self.register_buffer("table", table, persistent=False)

    def forward(self, q, k, positions):
        cs = self.table[positions].unsqueeze(2)
        cos, sin = cs.chunk(2, dim=-1)
        outs = []
        for x in (q, k):
            rd = self.rotary_dim
            y = x.clone(memory_format=torch.contiguous_format)
            even = x[..., 0:rd:2].float()
            odd = x[..., 1:rd:2].float()
            y[..., 0:rd:2] = torch.addcmul(even * cos, odd, sin, value=-1).to(x.dtype)
            y[..., 1:rd:2] = torch.addcmul(odd * cos, even, sin).to(x.dtype)
            outs.append(y)
        return outs[0], outs[1]
