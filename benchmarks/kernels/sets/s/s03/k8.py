import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Sequential recurrence with the input gain formed from a itself."""

    def __init__(self):
        super().__init__()

    def forward(self, x, log_a, h0):
        a = log_a.exp()
        gain = (1.0 - a * a).clamp_min(1e-12).sqrt()
        u = gain * x
        h, hs = h0, []
        for a_t, u_t in zip(a.unbind(1), u.unbind(1)):
            h = torch.addcmul(u_t, a_t, h)
            hs.append(h)
        return torch.stack(hs, 1), h
