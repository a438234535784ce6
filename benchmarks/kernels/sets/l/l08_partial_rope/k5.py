import torch
import torch.nn as nn


def _apply(x, positions, r, base):
    S = x.shape[2]
    freq = 1.0 / (base ** (torch.arange(0, r, 2, device=x.device).float() / r))
    ang = torch.outer(torch.arange(S, device=x.device, dtype=torch.float32), freq)
    ang = torch.cat((ang, ang), -1)
    rot, rest = x[..., :r], x[..., r:]
    turned = torch.cat((-rot[..., r // 2:], rot[..., : r // 2]), -1)
    return torch.cat((rot * ang.cos() + turned * ang.sin(), rest), -1)


class ModelNew(nn.Module):
    def __init__(self, rotary_dim, base):
        super().__init__()
        self.rotary_dim = rotary_dim
        self.base = base

    def forward(self, x, positions):
        return _apply(x, positions, self.rotary_dim, self.base)
