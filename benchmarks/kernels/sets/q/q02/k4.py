import torch
import torch.nn as nn
import torch.nn.functional as F

CHUNK = 16


class ModelNew(nn.Module):
    """Pads the sequence to whole chunks and runs a chunk-local doubling scan with a carried state."""

    def __init__(self, dim):
        super().__init__()
        self.bias = nn.Parameter(torch.full((dim,), 1.0))
        self.h0 = nn.Parameter(torch.linspace(-0.5, 0.5, dim))

    def forward(self, x, g, reset):
        B, T, D = x.shape
        pad = (-T) % CHUNK
        x = F.pad(x, (0, 0, 0, pad))
        g = F.pad(g, (0, 0, 0, pad))
        reset = F.pad(reset, (0, pad))
        a = torch.sigmoid(g + self.bias)
        r = reset[..., None]
        A = torch.where(r, torch.zeros_like(a), a)
        Bm = (1 - a) * x + torch.where(r, a * self.h0, torch.zeros_like(a))
        n = (T + pad) // CHUNK
        A = A.reshape(B, n, CHUNK, D)
        Bm = Bm.reshape(B, n, CHUNK, D)
        s = 1
        while s < CHUNK:
            Bm = torch.cat((Bm[:, :, :s], Bm[:, :, s:] + A[:, :, s:] * Bm[:, :, :-s]), 2)
            A = torch.cat((A[:, :, :s], A[:, :, s:] * A[:, :, :-s]), 2)
            s *= 2
        h = self.h0.expand(B, D)
        outs = []
        for c in range(n):
            hc = A[:, c] * h[:, None] + Bm[:, c]
            outs.append(hc)
            h = hc[:, -1]
        return torch.cat(outs, 1)[:, :T], h
