import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Time-major loop with a double-precision carry."""

    def __init__(self, channels):
        super().__init__()
        self.decay_logit = nn.Parameter(torch.linspace(0.5, 3.0, channels))
    def forward(self, x, h0):
        d = torch.sigmoid(self.decay_logit.double())
        xt = x.double().transpose(0, 1).contiguous()
        h = h0.double()
        w = (1 - d).expand_as(h)
        ys = []
        for step in xt.unbind(0):
            h = torch.lerp(h, step, w)
            ys.append(h)
        return torch.stack(ys).transpose(0, 1).to(x.dtype).contiguous()
