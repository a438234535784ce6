import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Tiles of 16 positions with the state carried from tile to tile."""

    TILE = 16

    def __init__(self, dim, c):
        super().__init__()
        self.c = c
        self.lam = nn.Parameter(torch.linspace(-6.0, -3.0, dim))

    def forward(self, x, gate, reset, h0):
        B, T, D = x.shape
        la = -self.c * F.softplus(self.lam) * torch.sigmoid(gate)
        r = reset[..., None]
        a = torch.exp(la) * (~r)
        u = torch.where(r, x.float(), torch.sqrt(-torch.expm1(2 * la)) * x.float())
        y = torch.zeros(B, T, D)
        h = h0
        for tile in range(T // self.TILE):
            lo = tile * self.TILE
            at, ut = a[:, lo:lo + self.TILE], u[:, lo:lo + self.TILE]
            for i in range(self.TILE):
                h = at[:, i] * h + ut[:, i]
                y[:, lo + i] = h
        return y.to(x.dtype), h
