import torch
import torch.nn as nn
import torch.nn.functional as F


class _Base(nn.Module):
    def __init__(self, d_inner, d_state):
        super().__init__()
        self.A_log = nn.Parameter(torch.log(torch.arange(1, d_state + 1, dtype=torch.float32)).repeat(d_inner, 1))
        self.D = nn.Parameter(torch.ones(d_inner))
        dt = torch.exp(torch.empty(d_inner).uniform_(-6.9, -2.3))
        self.dt_bias = nn.Parameter(dt + torch.log(-torch.expm1(-dt)))


CHUNK = 16


class ModelNew(_Base):
    """Chunked scan: inside a chunk all pairs (t, s) at once, the state carried from chunk to chunk."""

    @staticmethod
    def segsum(x):
        # x: (b, c, d, n) -> out[:, t, s] = sum of x over s < r <= t, without differences of prefix sums
        c = x.shape[1]
        r = torch.arange(c, device=x.device)
        rep = x[:, :, None].expand(-1, -1, c, -1, -1)
        rep = rep.masked_fill((r[:, None] <= r[None, :])[None, :, :, None, None], 0)
        out = rep.cumsum(1)
        return out.masked_fill((r[:, None] < r[None, :])[None, :, :, None, None], float("-inf"))

    def forward(self, u, delta, B, C, h0):
        L = u.shape[1]
        A = -torch.exp(self.A_log)
        dt = F.softplus(delta + self.dt_bias)
        u2, B2, C2 = u, B, C                     # the last chunk may be short
        h, ys = h0, []
        for c0 in range(0, u2.shape[1], CHUNK):
            sl = slice(c0, c0 + CHUNK)
            da = dt[:, sl, :, None] * A
            b = (dt[:, sl] * u2[:, sl])[..., None] * B2[:, sl, None, :]
            hs = torch.exp(da.cumsum(1)) * h[:, None] + (torch.exp(self.segsum(da)) * b[:, None]).sum(2)
            ys.append(torch.einsum("btdn,btn->btd", hs, C2[:, sl]))
            h = hs[:, -1]
        y = torch.cat(ys, 1)[:, :L] + self.D * u
        return y, h
