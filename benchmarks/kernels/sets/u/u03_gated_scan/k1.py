import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Chunked: inside a chunk the decays form a triangular matrix, the state goes between chunks."""

    CHUNK = 16

    def __init__(self, dim, c):
        super().__init__()
        self.c = c
        self.lam = nn.Parameter(torch.linspace(-6.0, -3.0, dim))

    def forward(self, x, gate, reset, h0):
        B, T, D = x.shape
        la = -self.c * F.softplus(self.lam) * torch.sigmoid(gate)
        u = torch.sqrt(-torch.expm1(2 * la))
        u = torch.where(reset[..., None], torch.ones_like(u), u) * x.float()
        seg = reset.long().cumsum(1)
        h = h0
        seg_prev = torch.zeros(B, dtype=torch.long)
        out = []
        for t0 in range(0, T, self.CHUNK):
            t1 = min(t0 + self.CHUNK, T)
            cs = la[:, t0:t1].double().cumsum(1)
            sg = seg[:, t0:t1]
            n = t1 - t0
            diff = cs[:, :, None] - cs[:, None, :]
            ok = (sg[:, :, None] == sg[:, None, :]) & torch.ones(n, n, dtype=torch.bool).tril()
            w = torch.exp(diff.masked_fill(~ok[..., None], float("-inf")))
            yc = torch.einsum("bijd,bjd->bid", w, u[:, t0:t1].double())
            live = (sg == seg_prev[:, None])[..., None]
            yc = yc + torch.where(live, torch.exp(cs) * h.double()[:, None], 0.0)
            out.append(yc.float())
            h = yc[:, -1].float()
            seg_prev = sg[:, -1]
        y = torch.cat(out, 1)
        return y.to(x.dtype), h
