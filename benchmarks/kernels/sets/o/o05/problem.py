import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """
    Selective state-space scan (Mamba) with a carried state.

        dt_t = softplus(delta_t + delta_bias)
        h_t  = exp(dt_t * A) * h_{t-1} + dt_t * x_t * B_t        A = -exp(A_log)
        y_t  = <h_t, C_t> + D * x_t

    Returns the outputs and the last state, so that a sequence may be fed in pieces.
    """

    def __init__(self, d_model: int, d_state: int):
        super(Model, self).__init__()
        self.A_log = nn.Parameter(torch.log(torch.arange(1, d_state + 1, dtype=torch.float32)).repeat(d_model, 1))
        self.D = nn.Parameter(torch.ones(d_model))
        dt = torch.exp(torch.linspace(-6.9, -3.0, d_model))  # steps from 0.001 to 0.05
        self.delta_bias = nn.Parameter(dt + torch.log(-torch.expm1(-dt)))

    def forward(self, x, delta, B, C, h0):
        """
        Args:
            x, delta (torch.Tensor): (batch, T, d_model) float32.
            B, C (torch.Tensor): (batch, T, d_state) float32.
            h0 (torch.Tensor): (batch, d_model, d_state) float32, the state before the first step.
        Returns:
            y (batch, T, d_model), h_T (batch, d_model, d_state). T >= 1.
        """
        A = -torch.exp(self.A_log)
        dt = F.softplus(delta + self.delta_bias)
        h = h0
        ys = []
        for t in range(x.shape[1]):
            decay = torch.exp(dt[:, t, :, None] * A)
            h = decay * h + (dt[:, t] * x[:, t])[:, :, None] * B[:, t, None, :]
            ys.append((h * C[:, t, None, :]).sum(-1))
        return torch.stack(ys, dim=1) + self.D * x, h


batch_size = 2
seq_len = 64
d_model = 24
d_state = 8


def get_inputs():
    x = torch.randn(batch_size, seq_len, d_model)
    delta = 0.1 * torch.randn(batch_size, seq_len, d_model)
    B = torch.randn(batch_size, seq_len, d_state)
    C = torch.randn(batch_size, seq_len, d_state)
    h0 = torch.zeros(batch_size, d_model, d_state)
    return [x, delta, B, C, h0]


def get_init_inputs():
    return [d_model, d_state]
