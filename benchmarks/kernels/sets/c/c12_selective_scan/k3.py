import torch
import torch.nn as nn

CHUNK = 24


class ModelNew(nn.Module):
    def __init__(self, d_inner, d_state):
        super().__init__()
        a = torch.arange(1, d_state + 1, dtype=torch.float32).repeat(d_inner, 1)
        self.A_log = nn.Parameter(torch.log(a))
        self.D = nn.Parameter(torch.ones(d_inner))
        self.dt_bias = nn.Parameter(torch.zeros(d_inner))

    def forward(self, u, delta, Bm, Cm):
        A = -torch.exp(self.A_log)
        state = u.new_zeros(u.shape[0], u.shape[2], A.shape[1])
        pieces = []
        for c in range(0, u.shape[1], CHUNK):
            sl = slice(c, c + CHUNK)
            z = delta[:, sl] + self.dt_bias
            dt = z.clamp_min(0) + torch.log1p(torch.exp(-z.abs()))
            dec = torch.exp(dt.unsqueeze(-1) * A)
            inp = (dt * u[:, sl]).unsqueeze(-1) * Bm[:, sl].unsqueeze(2)
            hs = []
            for i in range(dec.shape[1]):
                state = torch.addcmul(inp[:, i], dec[:, i], state)
                hs.append(state)
            hseq = torch.stack(hs, 1)
            pieces.append(torch.einsum("bldn,bln->bld", hseq, Cm[:, sl]) + self.D * u[:, sl])
        return torch.cat(pieces, 1)
