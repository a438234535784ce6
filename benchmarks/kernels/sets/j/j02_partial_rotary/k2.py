import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """rotation as one complex product"""

    def __init__(self, head_dim: int, rotary_dim: int, base: float = 10000.0):
        super().__init__()
        self.head_dim = head_dim
        self.rotary_dim = rotary_dim
        self.base = base

    def _turn(self, t, z):
        r = self.rotary_dim
        c = torch.complex(t[..., :r // 2], t[..., r // 2:r]) * z
        return torch.cat((c.real, c.imag, t[..., r:]), dim=-1)

    def forward(self, q, k, positions):
        inv = 1.0 / (self.base ** (torch.arange(0, self.rotary_dim, 2, device=q.device).float() / self.rotary_dim))
        ang = torch.einsum("bt,f->btf", positions.float(), inv)
        z = torch.polar(torch.ones_like(ang), ang).unsqueeze(2)
        return self._turn(q, z), self._turn(k, z)
