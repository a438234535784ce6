import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Parallel scan by recursive doubling: the window length doubles each round."""

    def __init__(self, channels):
        super().__init__()
        self.decay_logit = nn.Parameter(torch.linspace(0.5, 3.0, channels))
    def forward(self, x, h0):
        d = torch.sigmoid(self.decay_logit)
        y = (1 - d) * x
        first = y[:, :1] + (d * h0)[:, None, :]
        y = torch.cat([first, y[:, 1:]], dim=1)
        T = y.shape[1]
        step = 1
        a = d
        while step < T:
            y = torch.cat([y[:, :step], y[:, step:] + a * y[:, :-step]], dim=1)
            a = a * a
            step *= 2
        return y
