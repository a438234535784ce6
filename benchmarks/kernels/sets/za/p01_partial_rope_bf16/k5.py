import math
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, head_dim=64, rotary_dim=32, base=10000.0):
        super().__init__()
        self.rotary_dim = rotary_dim
        half = rotary_dim // 2
        inv = torch.exp(torch.arange(half, dtype=torch.float64) * (-2.0 * math.log(base) / rotary_dim))
        self.register_buffer("inv_freq2", inv.float().repeat_interleave(2), persistent=False)
        perm = torch.arange(rotary_dim).view(-1, 2).flip(-1).reshape(-1)
        self.register_buffer("perm", perm, persistent=False)
        sign = torch.ones(rotary_dim)
        sign[0::2] = -1.0
        self.register_buffer("sign", sign, persistent=False)

    def forward(self, q, k, positions):
        ang = positions[:, :, None, None].to(torch.float32) * self.inv_freq2
        c = torch.cos(ang)
        s = torch.sin(ang) * self.sign
        rd = self.rotary_dim
        res = []
        for x in (q, k):
            xr = x.narrow(-1, 0, rd).to(torch.float32)
            yr = xr * c + xr.index_select(-1, self.perm) * s
            y = torch.empty_like(x, memory_format=torch.contiguous_format)
            y[..., :rd].copy_(yr)
            y[..., rd:].copy_(x[..., rd:])
            res.append(y)
        return tuple(res)
