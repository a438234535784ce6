import torch
import torch.nn as nn


class Model(nn.Module):
    """Per-channel exponential moving average along time.

    y[t] = d * y[t-1] + (1 - d) * x[t],  d = sigmoid(decay_logit),  y[-1] = h0
    """

    def __init__(self, channels):
        super().__init__()
        self.decay_logit = nn.Parameter(torch.linspace(0.5, 3.0, channels))

    def forward(self, x, h0):
        d = torch.sigmoid(self.decay_logit)
        h = h0
        ys = []
        for t in range(x.shape[1]):
            h = d * h + (1 - d) * x[:, t]
            ys.append(h)
        return torch.stack(ys, dim=1)


BATCH = 3
STEPS = 64
CHANNELS = 16


def get_inputs():
    return [torch.randn(BATCH, STEPS, CHANNELS), torch.zeros(BATCH, CHANNELS)]


def get_init_inputs():
    return [CHANNELS]
