import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.skip = nn.Parameter(torch.randn(dim) * 0.1)

    @torch.no_grad()
    def forward(self, a, b, h0=None):
        B, T, D = b.shape
        C = 16
        la = torch.log(a + 1e-6)
        h = torch.zeros(B, D) if h0 is None else h0
        ys = []
        for s in range(0, T, C):
            cs = la[:, s:s + C].cumsum(1)
            L = cs.shape[1]
            seg = cs[:, :, None] - cs[:, None, :]
            causal = torch.ones(L, L, dtype=torch.bool).tril()
            decay = torch.exp(seg.masked_fill(~causal[None, :, :, None], float("-inf")))
            intra = torch.einsum("bijd,bjd->bid", decay, b[:, s:s + C])
            hc = intra + cs.exp() * h[:, None]
            ys.append(hc)
            h = hc[:, -1]
        return torch.cat(ys, 1) + self.skip * b, h.clone()
