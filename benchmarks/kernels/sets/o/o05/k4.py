import torch
import torch.nn as nn
import torch.nn.functional as F


CHUNK = 16


class ModelNew(nn.Module):
    """
    Chunked scan. Inside a chunk all pairs (t, s) are weighted by exp(S_t - S_s), s <= t, which never exceeds one;
    the state is carried from chunk to chunk.
    """

    def __init__(self, d_model: int, d_state: int):
        super().__init__()
        self.A_log = nn.Parameter(torch.log(torch.arange(1, d_state + 1, dtype=torch.float32)).repeat(d_model, 1))
        self.D = nn.Parameter(torch.ones(d_model))
        dt = torch.exp(torch.linspace(-6.9, -3.0, d_model))
        self.delta_bias = nn.Parameter(dt + torch.log(-torch.expm1(-dt)))

    def forward(self, x, delta, B, C, h0):
        b, T, d = x.shape
        n = B.shape[-1]
        pad = -T % CHUNK
        A = -torch.exp(self.A_log)
        xp, dp = F.pad(x, (0, 0, 0, pad)), F.pad(delta, (0, 0, 0, pad))
        Bp, Cp = F.pad(B, (0, 0, 0, pad)), F.pad(C, (0, 0, 0, pad))
        dt = F.softplus(dp + self.delta_bias)
        L = (T + pad) // CHUNK
        S = torch.cumsum((dt[..., None] * A).view(b, L, CHUNK, d, n), dim=2)
        u = ((dt * xp)[..., None] * Bp[:, :, None, :]).view(b, L, CHUNK, d, n)
        tri = torch.ones(CHUNK, CHUNK, dtype=torch.bool, device=x.device).tril()
        h = h0
        ys = []
        for c in range(L):
            Sc, uc = S[:, c], u[:, c]
            gap = (Sc[:, :, None] - Sc[:, None, :]).masked_fill(~tri[None, :, :, None, None], float("-inf"))
            hs = (gap.exp() * uc[:, None]).sum(2) + Sc.exp() * h[:, None]
            ys.append((hs * Cp[:, c * CHUNK:(c + 1) * CHUNK, None, :]).sum(-1))
            h = hs[:, -1]
        y = torch.cat(ys, dim=1)[:, :T]
        return y + self.D * x, h
