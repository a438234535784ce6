import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """
    Selective state-space scan with a gate. Returns the sequence and the final state.
    """

    def __init__(self, d_inner: int, d_state: int):
        super(Model, self).__init__()
        a = torch.arange(1, d_state + 1, dtype=torch.float32)
        self.A_log = nn.Parameter(torch.log(a).repeat(d_inner, 1))
        self.D = nn.Parameter(torch.ones(d_inner))
        self.dt_bias = nn.Parameter(torch.linspace(-5.0, -2.5, d_inner))

    def forward(self, u: torch.Tensor, dt: torch.Tensor, B: torch.Tensor, C: torch.Tensor,
                z: torch.Tensor):
        A = -torch.exp(self.A_log)
        delta = F.softplus(dt + self.dt_bias)
        h = u.new_zeros(u.shape[0], u.shape[2], A.shape[1])
        ys = []
        for t in range(u.shape[1]):
            decay = torch.exp(delta[:, t, :, None] * A)
            h = decay * h + (delta[:, t] * u[:, t])[:, :, None] * B[:, t, None, :]
            ys.append((h * C[:, t, None, :]).sum(-1))
        y = torch.stack(ys, dim=1) + self.D * u
        return y * F.silu(z), h


batch_size = 2
seq_len = 64
d_inner = 32
d_state = 8


def get_inputs():
    u = torch.randn(batch_size, seq_len, d_inner)
    dt = torch.randn(batch_size, seq_len, d_inner) * 0.5
    B = torch.randn(batch_size, seq_len, d_state)
    C = torch.randn(batch_size, seq_len, d_state)
    z = torch.randn(batch_size, seq_len, d_inner)
    return [u, dt, B, C, z]


def get_init_inputs():
    return [d_inner, d_state]
