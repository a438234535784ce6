import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, head_dim=64, rotary_dim=32, base=10000.0):
        super().__init__()
        self.rotary_dim = rotary_dim
        self.base = float(base)

    def forward(self, q, k, positions):
        rd = self.rotary_dim
        hq = q.shape[2]
        both = torch.cat((q, k), dim=2)
        uniq, inv = torch.unique(positions, return_inverse=True)
        f = self.base ** (-torch.arange(0, rd, 2, dtype=torch.float64, device=q.device) / rd)
        ang = uniq.double().unsqueeze(1) * f
        cos = ang.cos()[inv].unsqueeze(2)
        sin = ang.sin()[inv].unsqueeze(2)
        a = both[..., 0:rd:2].double()
        b = both[..., 1:rd:2].double()
        new_a = (a * cos - b * sin).float().to(torch.bfloat16)
        new_b = (a * sin + b * cos).float().to(torch.bfloat16)
        both[..., 0:rd:2] = new_a
        both[..., 1:rd:2] = new_b
        return both[:, :, :hq].contiguous(), both[:, :, hq:].contiguous()
