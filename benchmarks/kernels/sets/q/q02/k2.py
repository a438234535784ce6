import torch
import torch.nn as nn

CHUNK = 16


class ModelNew(nn.Module):
    """Chunked closed form: inside a chunk h_t = P_t (h_in + cumsum(b / P)), with P the running product of the
    gates; only the chunk borders are sequential."""

    def __init__(self, dim):
        super().__init__()
        self.bias = nn.Parameter(torch.full((dim,), 1.0))
        self.h0 = nn.Parameter(torch.linspace(-0.5, 0.5, dim))

    def forward(self, x, g, reset):
        B, T, D = x.shape
        a = torch.sigmoid(g + self.bias)
        b = (1 - a) * x
        seg = torch.cumsum(reset.to(torch.int64), dim=1)
        h = self.h0.expand(B, D)
        outs = []
        for s in range(0, T, CHUNK):
            ac, bc = a[:, s:s + CHUNK], b[:, s:s + CHUNK]
            rc = seg[:, s:s + CHUNK]
            L = ac.shape[1]
            P = torch.cumprod(ac, dim=1)
            q = bc / P
            same = (rc[:, :, None] == rc[:, None, :]).to(a.dtype).tril()
            acc = torch.einsum("bts,bsd->btd", same, q)
            first = reset[:, s:s + CHUNK].to(torch.int64).cumsum(1)
            start = torch.zeros(B, L, dtype=torch.int64, device=x.device)
            idx = torch.arange(L, device=x.device).expand(B, L)
            start = torch.where(reset[:, s:s + CHUNK], idx, start).cummax(dim=1).values
            Pprev = torch.cat((torch.ones_like(P[:, :1]), P[:, :-1]), dim=1)
            base = torch.gather(Pprev, 1, start[..., None].expand(B, L, D))
            hin = torch.where((first > 0)[..., None], self.h0, h[:, None, :])
            hc = P * (hin / base + acc)
            outs.append(hc)
            h = hc[:, -1]
        return torch.cat(outs, dim=1), h
