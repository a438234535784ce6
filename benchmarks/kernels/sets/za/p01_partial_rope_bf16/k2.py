import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, head_dim=64, rotary_dim=32, base=10000.0):
        super().__init__()
        self.rotary_dim = rotary_dim
        freqs = 1.0 / (base ** (torch.arange(0, rotary_dim, 2).float() / rotary_dim))
        self.register_buffer("freqs", freqs, persistent=False)

    def forward(self, q, k, positions):
        theta = positions.unsqueeze(-1).float() * self.freqs
        cis = torch.polar(torch.ones_like(theta), theta).unsqueeze(2)
        rd = self.rotary_dim

        def rot(x):
            z = torch.view_as_complex(x[..., :rd].float().reshape(*x.shape[:-1], rd // 2, 2))
            y = torch.view_as_real(z * cis).flatten(-2).type_as(x)
            if rd == x.shape[-1]:
                return y
            return torch.cat([y, x[..., rd:]], dim=-1)

        return rot(q), rot(k)
