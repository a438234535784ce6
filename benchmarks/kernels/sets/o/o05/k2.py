import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """All the exponentials and input terms in one shot, the loop is left with a fused multiply-add."""

    def __init__(self, d_model: int, d_state: int):
        super().__init__()
        self.A_log = nn.Parameter(torch.log(torch.arange(1, d_state + 1, dtype=torch.float32)).repeat(d_model, 1))
        self.D = nn.Parameter(torch.ones(d_model))
        dt = torch.exp(torch.linspace(-6.9, -3.0, d_model))
        self.delta_bias = nn.Parameter(dt + torch.log(-torch.expm1(-dt)))

    def forward(self, x, delta, B, C, h0):
        A = -self.A_log.exp()
        dt = F.softplus(delta + self.delta_bias)
        # time first, so that each step reads one contiguous slab
        decay = torch.exp(torch.einsum("btd,dn->tbdn", dt, A))
        drive = torch.einsum("btd,btn->tbdn", dt * x, B)
        states = []
        h = h0
        for a, u in zip(decay.unbind(0), drive.unbind(0)):
            h = torch.addcmul(u, a, h)
            states.append(h)
        y = torch.einsum("tbdn,btn->btd", torch.stack(states), C)
        return torch.addcmul(y, x, self.D), h
