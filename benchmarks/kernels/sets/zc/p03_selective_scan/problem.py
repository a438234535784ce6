import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """
    Selective state-space scan (Mamba-1) with a carried state, for training on pieces of a long
    sequence: the last state of one piece is the first state of the next.

        dt_t = softplus(delta_t + dt_bias)                    (B, D)
        h_t  = exp(dt_t * A) * h_{t-1} + (dt_t * u_t) * B_t   (B, D, N),  A = -exp(A_log)
        y_t  = sum_n h_t * C_t + D * u_t                      (B, D)
        out_t = y_t * silu(z_t)

    forward(u, delta, z, Bm, Cm, h0):
        u, delta, z: (B, L, D) float32     Bm, Cm: (B, L, N) float32     h0: (B, D, N) float32
        returns out (B, L, D) and h_last (B, D, N), the state after the last step.

    B and L are any sizes >= 1; D and N are those of the constructor. h0 is any state (zeros for
    the first piece). delta + dt_bias lies anywhere in [-100, 100]. Inputs are not modified.
    Gradients with respect to all six inputs and the three parameters are needed; the loss may
    use out, h_last or both.
    """

    def __init__(self, d_inner: int, d_state: int):
        super().__init__()
        a = torch.arange(1, d_state + 1, dtype=torch.float32).repeat(d_inner, 1)
        self.A_log = nn.Parameter(torch.log(a))
        self.D = nn.Parameter(torch.ones(d_inner))
        self.dt_bias = nn.Parameter(torch.rand(d_inner) * 2.0 - 5.0)

    def forward(self, u, delta, z, Bm, Cm, h0):
        L = u.shape[1]
        A = -torch.exp(self.A_log)
        dt = F.softplus(delta + self.dt_bias)
        h = h0
        ys = []
        for t in range(L):
            dA = torch.exp(dt[:, t, :, None] * A)
            h = dA * h + (dt[:, t] * u[:, t])[:, :, None] * Bm[:, t, None, :]
            ys.append((h * Cm[:, t, None, :]).sum(dim=-1))
        y = torch.stack(ys, dim=1) + self.D * u
        return y * F.silu(z), h


BATCH = 2
L = 64
D_INNER = 16
D_STATE = 8


def get_inputs():
    u = torch.randn(BATCH, L, D_INNER)
    delta = 0.5 * torch.randn(BATCH, L, D_INNER)
    z = torch.randn(BATCH, L, D_INNER)
    Bm = torch.randn(BATCH, L, D_STATE)
    Cm = torch.randn(BATCH, L, D_STATE)
    h0 = torch.zeros(BATCH, D_INNER, D_STATE)
    return [u, delta, z, Bm, Cm, h0]


def get_init_inputs():
    return [D_INNER, D_STATE]
