"""Selective state-space scan (Mamba-1), with an initial state.

forward(u, delta, B, C, h0):
    u, delta  float32 (batch, L, d_inner)      B, C  float32 (batch, L, d_state)
    h0        float32 (batch, d_inner, d_state), zeros for a fresh sequence, otherwise the state
              returned by the call on the previous piece of the sequence
Any batch >= 1 and L >= 1; all values finite, at most 1e3 in magnitude.

    dt  = softplus(delta + dt_bias)                      A = -exp(A_log)
    h_t = exp(dt_t * A) * h_{t-1} + dt_t * u_t * B_t     y_t = <h_t, C_t> + D * u_t

Returns (y, h_L). The inputs are left as they are. Trained end to end.
"""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, d_inner, d_state):
        super().__init__()
        self.A_log = nn.Parameter(torch.log(torch.arange(1, d_state + 1, dtype=torch.float32)).repeat(d_inner, 1))
        self.D = nn.Parameter(torch.ones(d_inner))
        dt = torch.exp(torch.empty(d_inner).uniform_(-6.9, -2.3))
        self.dt_bias = nn.Parameter(dt + torch.log(-torch.expm1(-dt)))

    def forward(self, u, delta, B, C, h0):
        A = -torch.exp(self.A_log)
        dt = F.softplus(delta + self.dt_bias)
        h = h0
        ys = []
        for t in range(u.shape[1]):
            decay = torch.exp(dt[:, t, :, None] * A)
            h = decay * h + (dt[:, t] * u[:, t])[:, :, None] * B[:, t, None, :]
            ys.append((h * C[:, t, None, :]).sum(-1) + self.D * u[:, t])
        return torch.stack(ys, 1), h


def get_inputs():
    b, L, d, n = 2, 64, 16, 8
    return [torch.randn(b, L, d), torch.randn(b, L, d) * 0.5, torch.randn(b, L, n), torch.randn(b, L, n),
            torch.zeros(b, d, n)]


def get_init_inputs():
    return [16, 8]
