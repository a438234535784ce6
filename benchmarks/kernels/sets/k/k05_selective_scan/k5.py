import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """State-major recurrence: (N, batch, channel) planes, decays tabulated up front."""

    def __init__(self, d_inner, d_state):
        super().__init__()
        self.A_log = nn.Parameter(torch.log(torch.arange(1, d_state + 1).float()).repeat(d_inner, 1))
        self.D = nn.Parameter(torch.ones(d_inner))
        self.dt_bias = nn.Parameter(torch.linspace(-5.0, -2.5, d_inner))

    def forward(self, u, dt, B, C, z):
        x = dt + self.dt_bias
        delta = x.clamp(min=0) + torch.log1p(torch.exp(-x.abs()))
        A = self.A_log.exp().neg().t()
        L = u.shape[1]
        du = delta * u
        state = [u.new_zeros(u.shape[0], u.shape[2]) for _ in range(A.shape[0])]
        table = torch.exp(delta.unsqueeze(0) * A[:, None, None, :])
        outs = []
        for t in range(L):
            acc = self.D * u[:, t]
            for n in range(len(state)):
                state[n] = table[n, :, t] * state[n] + du[:, t] * B[:, t, n, None]
                acc = acc + state[n] * C[:, t, n, None]
            outs.append(acc)
        y = torch.stack(outs, 1)
        return y * (z * torch.sigmoid(z)), torch.stack(state, dim=-1)
