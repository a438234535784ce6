import math
import torch
import torch.nn as nn
import torch.nn.functional as F

def _phasor(pos, dim, base):
    half = dim // 2
    expo = torch.arange(half, dtype=torch.float64, device=pos.device) * (2.0 / dim)
    ang = pos.double()[:, None, :, None] * torch.exp(-math.log(base) * expo)
    return torch.polar(torch.ones_like(ang), ang).to(torch.complex64)


class ModelNew(nn.Module):
    def __init__(self, head_dim, eps=1e-6, base=10000.0):
        super().__init__()
        self.head_dim = head_dim
        self.eps = eps
        self.base = base
        self.weight = nn.Parameter(torch.ones(head_dim))

    def forward(self, x, pos):
        h = self.head_dim // 2
        ss = torch.linalg.vector_norm(x, dim=-1, keepdim=True).square() / self.head_dim
        y = (x / torch.sqrt(ss + self.eps)) * self.weight
        z = torch.complex(y[..., :h].contiguous(), y[..., h:].contiguous())
        z = z * _phasor(pos, self.head_dim, self.base)
        return torch.cat([z.real, z.imag], dim=-1)
