"""PCEN with a chunked scan: inside a chunk the smoother is a small triangular GEMM, between chunks a single
carried frame decays. Padding frames are cut off at the end."""
import torch
import torch.nn as nn

import torch.nn.functional as F

CHUNK = 32


class ModelNew(nn.Module):
    def __init__(self, n_mels: int, smooth: float = 0.04, alpha: float = 0.96, delta: float = 2.0,
                 root: float = 2.0, floor: float = 1e-6):
        super().__init__()
        self.floor = floor
        self.smooth = nn.Parameter(torch.full((n_mels,), smooth))
        self.alpha = nn.Parameter(torch.full((n_mels,), alpha))
        self.delta = nn.Parameter(torch.full((n_mels,), delta))
        self.root = nn.Parameter(torch.full((n_mels,), root))

    def forward(self, energy):
        b, c, t = energy.shape
        s = self.smooth.clamp(0.0, 1.0)
        q = (1.0 - s)[:, None]
        j = torch.arange(CHUNK, device=energy.device, dtype=energy.dtype)
        lag = j[:, None] - j[None, :]
        tri = torch.where(lag >= 0, s[:, None, None] * q[:, :, None] ** lag.clamp(min=0), lag.new_zeros(()))
        carry_decay = q ** (j + 1.0)                                   # (c, CHUNK)
        n = -(-t // CHUNK)
        e = F.pad(energy, (0, n * CHUNK - t)).view(b, c, n, CHUNK)
        local = torch.einsum("cij,bcnj->bcni", tri, e)
        carry = energy[:, :, 0]               # m[-1] = e[0] makes m[0] = e[0]
        parts = []
        for k in range(n):
            m = local[:, :, k] + carry[:, :, None] * carry_decay
            parts.append(m)
            carry = m[:, :, -1]
        m = torch.cat(parts, 2)[:, :, :t]
        r = 1.0 / self.root.clamp(min=1.0)[:, None]
        d = self.delta[:, None]
        return (energy * (self.floor + m) ** (-self.alpha.clamp(max=1.0)[:, None]) + d) ** r - d ** r
