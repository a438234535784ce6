import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    CHUNK = 8

    def __init__(self, channels):
        super().__init__()
        self.decay_logit = nn.Parameter(torch.linspace(0.5, 3.0, channels))
    def forward(self, x, h0):
        B, T, C = x.shape
        d = torch.sigmoid(self.decay_logit)
        u = x * torch.sigmoid(-self.decay_logit)
        h = torch.zeros_like(h0)
        out = []
        for s in range(0, T, self.CHUNK):
            for row in u[:, s:s + self.CHUNK].unbind(1):
                h = torch.addcmul(row, d, h)
                out.append(h)
        return torch.stack(out, dim=1)
