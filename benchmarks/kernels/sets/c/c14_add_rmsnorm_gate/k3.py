import torch
import torch.nn as nn

ROWS = 48


class ModelNew(nn.Module):
    def __init__(self, dim, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.eps = eps

    def forward(self, x, residual, gate):
        d = x.shape[-1]
        xr, rr, gr = x.reshape(-1, d), residual.reshape(-1, d), gate.reshape(-1, d)
        ys, hs = [], []
        for s in range(0, xr.shape[0], ROWS):
            h = xr[s:s + ROWS] + rr[s:s + ROWS]
            ms = h.double().square().sum(-1, keepdim=True) / d
            inv = torch.rsqrt(ms + self.eps).to(h.dtype)
            g = gr[s:s + ROWS]
            ys.append(h * inv * self.weight * (g * torch.sigmoid(g)))
            hs.append(h)
        return torch.cat(ys).view(x.shape), torch.cat(hs).view(x.shape)
