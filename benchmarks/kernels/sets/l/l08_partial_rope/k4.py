import torch
import torch.nn as nn


def _apply(x, positions, r, base):
    h = r // 2
    inv = base ** (-torch.arange(h, device=x.device, dtype=torch.float64) * 2 / r)
    phase = torch.polar(torch.ones((), dtype=torch.float64, device=x.device), positions.double()[..., None] * inv)
    z = torch.complex(x[..., :h].double(), x[..., h:r].double()) * phase[:, None]
    return torch.cat((z.real.to(x.dtype), z.imag.to(x.dtype), x[..., r:]), dim=-1)


class ModelNew(nn.Module):
    def __init__(self, rotary_dim, base):
        super().__init__()
        self.rotary_dim = rotary_dim
        self.base = base

    def forward(self, x, positions):
        return _apply(x, positions, self.rotary_dim, self.base)
