import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """
    Closed form of the linear recurrence: with S_t = sum_{s<=t} dt_s A,
        h_t = exp(S_t) * (h_0 + sum_{s<=t} exp(-S_s) u_s)
    which turns the scan into two cumulative sums.
    """

    def __init__(self, d_model: int, d_state: int):
        super().__init__()
        self.A_log = nn.Parameter(torch.log(torch.arange(1, d_state + 1, dtype=torch.float32)).repeat(d_model, 1))
        self.D = nn.Parameter(torch.ones(d_model))
        dt = torch.exp(torch.linspace(-6.9, -3.0, d_model))
        self.delta_bias = nn.Parameter(dt + torch.log(-torch.expm1(-dt)))

    def forward(self, x, delta, B, C, h0):
        A = -torch.exp(self.A_log)
        dt = F.softplus(delta + self.delta_bias)
        S = torch.cumsum(dt.unsqueeze(-1) * A, dim=1)                 # (b, T, d, n)
        u = (dt * x).unsqueeze(-1) * B.unsqueeze(2)
        h = torch.exp(S) * (h0.unsqueeze(1) + torch.cumsum(torch.exp(-S) * u, dim=1))
        y = (h * C.unsqueeze(2)).sum(-1) + self.D * x
        return y, h[:, -1]
