import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Selective state-space scan (Mamba style)."""

    def __init__(self, d_inner, d_state):
        super().__init__()
        a = torch.arange(1, d_state + 1, dtype=torch.float32).repeat(d_inner, 1)
        self.A_log = nn.Parameter(torch.log(a))
        self.D = nn.Parameter(torch.ones(d_inner))
        self.dt_bias = nn.Parameter(torch.zeros(d_inner))

    def forward(self, u, delta, Bm, Cm):
        A = -torch.exp(self.A_log)
        dt = F.softplus(delta + self.dt_bias)
        h = u.new_zeros(u.shape[0], u.shape[2], A.shape[1])
        ys = []
        for t in range(u.shape[1]):
            decay = torch.exp(dt[:, t].unsqueeze(-1) * A)
            h = decay * h + (dt[:, t] * u[:, t]).unsqueeze(-1) * Bm[:, t].unsqueeze(1)
            ys.append((h * Cm[:, t].unsqueeze(1)).sum(-1))
        return torch.stack(ys, dim=1) + self.D * u


B = 2
L = 64
D_INNER = 32
D_STATE = 8


def get_inputs():
    return [torch.randn(B, L, D_INNER), torch.randn(B, L, D_INNER),
            torch.randn(B, L, D_STATE), torch.randn(B, L, D_STATE)]


def get_init_inputs():
    return [D_INNER, D_STATE]
