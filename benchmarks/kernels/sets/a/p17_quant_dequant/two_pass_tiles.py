import torch
import torch.nn as nn


def _round_even(v):
    f = torch.floor(v)
    d = v - f
    odd = torch.remainder(f, 2.0) == 1.0
    up = (d > 0.5) | ((d == 0.5) & odd)
    return f + up.to(v.dtype)


class ModelNew(nn.Module):
    TILE = 96

    def __init__(self):
        super().__init__()

    @torch.no_grad()
    def forward(self, x):
        n = x.shape[-1]
        amax = torch.zeros(x.shape[:-1] + (1,))
        for j in range(0, n, self.TILE):
            amax = torch.maximum(amax, x[..., j:j + self.TILE].abs().amax(-1, keepdim=True))
        scale = torch.clamp(amax / 127.0, min=1e-8)
        tiles = []
        for j in range(0, n, self.TILE):
            q = _round_even(x[..., j:j + self.TILE] / scale)
            tiles.append(q.clamp(-127.0, 127.0) * scale)
        return torch.cat(tiles, dim=-1)
