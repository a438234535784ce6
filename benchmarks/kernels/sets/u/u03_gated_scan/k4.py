import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Closed form: h_t = P_t * (h0 + sum_s u_s / P_s), the sum taken from the document's start."""

    def __init__(self, dim, c):
        super().__init__()
        self.c = c
        self.lam = nn.Parameter(torch.linspace(-6.0, -3.0, dim))

    def forward(self, x, gate, reset, h0):
        B, T, D = x.shape
        la = -self.c * F.softplus(self.lam) * torch.sigmoid(gate)
        r = reset.unsqueeze(-1)
        u = torch.where(r, 1.0, torch.sqrt(-torch.expm1(2 * la))) * x.float()
        P = torch.exp(la.double().cumsum(1))
        S = torch.cat([h0.double().unsqueeze(1), u.double() / P], 1).cumsum(1)
        pos = torch.arange(1, T + 1).expand(B, T)
        start = torch.where(reset, pos, torch.zeros_like(pos)).cummax(1).values
        before = torch.gather(S, 1, (start - 1).clamp(min=0).unsqueeze(-1).expand(B, T, D))
        before = torch.where((start > 0).unsqueeze(-1), before, 0.0)
        h = (P * (S[:, 1:] - before)).float()
        return h.to(x.dtype), h[:, -1].contiguous()
