import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Selective state-space scan.

    u, delta: (B, L, D); Bm, Cm: (B, L, N).
    h_t = exp(dt_t * A) * h_{t-1} + dt_t * u_t * B_t,  y_t = <h_t, C_t> + D * u_t,
    with dt = softplus(delta), A = -exp(A_log), h_{-1} = 0.
    """

    def __init__(self, dim, state):
        super().__init__()
        self.A_log = nn.Parameter(torch.log(torch.arange(1, state + 1).float()).repeat(dim, 1))
        self.D = nn.Parameter(torch.ones(dim) + 0.1 * torch.randn(dim))

    def forward(self, u, delta, Bm, Cm):
        dt = F.softplus(delta)
        A = -torch.exp(self.A_log)
        h = u.new_zeros(u.shape[0], u.shape[2], A.shape[1])
        ys = []
        for t in range(u.shape[1]):
            decay = torch.exp(dt[:, t].unsqueeze(-1) * A)
            h = decay * h + (dt[:, t] * u[:, t]).unsqueeze(-1) * Bm[:, t].unsqueeze(1)
            ys.append((h * Cm[:, t].unsqueeze(1)).sum(-1))
        return torch.stack(ys, dim=1) + u * self.D


batch = 2
length = 120
dim = 32
state = 8


def get_inputs():
    return [torch.randn(batch, length, dim),
            torch.randn(batch, length, dim) - 3.5,
            torch.randn(batch, length, state),
            torch.randn(batch, length, state)]


def get_init_inputs():
    return [dim, state]
