"""One chunk of a selective state-space scan (Mamba style).

u, delta: (B, L, d); Bm, Cm: (B, L, n); h0: (B, d, n): the state carried in from the
chunk before (all zeros for the first chunk).  float32, any strides, any L >= 1.

    dt_t = softplus(delta_t + dt_bias)
    h_t  = exp(dt_t * A) * h_(t-1) + dt_t * u_t * B_t,   A = -exp(A_log),  h_(-1) = h0
    y_t  = sum over n of h_t * C_t  +  D * u_t

delta may be anywhere from -50 to 200, so that a step may forget almost everything or
almost nothing.  Returns y of shape (B, L, d).  Gradients with respect to
all five inputs and to A_log, D and dt_bias are needed.
"""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, d, n):
        super().__init__()
        self.A_log = nn.Parameter(torch.log(torch.arange(1, n + 1, dtype=torch.float32)).repeat(d, 1))
        self.D = nn.Parameter(torch.ones(d))
        self.dt_bias = nn.Parameter(torch.full((d,), -2.0))

    def forward(self, u, delta, Bm, Cm, h0):
        A = -torch.exp(self.A_log)
        dt = F.softplus(delta + self.dt_bias)
        h = h0
        ys = []
        for t in range(u.shape[1]):
            h = torch.exp(dt[:, t, :, None] * A) * h + (dt[:, t] * u[:, t])[:, :, None] * Bm[:, t, None, :]
            ys.append((h * Cm[:, t, None, :]).sum(-1))
        return torch.stack(ys, 1) + self.D * u


def get_inputs():
    B, L, d, n = 2, 32, 8, 4
    return [torch.randn(B, L, d), torch.randn(B, L, d), torch.randn(B, L, n),
            torch.randn(B, L, n), torch.zeros(B, d, n)]


def get_init_inputs():
    return [8, 4]
