import torch
import torch.nn as nn


EPS = 1e-5


class ModelNew(nn.Module):
    """Per recording, var_mean on the valid slice."""

    def __init__(self, channels, eps):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))

    def forward(self, x, lengths):
        rows = []
        for b, n in enumerate(lengths.tolist()):
            var, mean = torch.var_mean(x[b, :n], dim=0, correction=0)
            y = (x[b, :n] - mean) / torch.sqrt(var + EPS) * self.weight + self.bias
            rows.append(torch.nn.functional.pad(y, (0, 0, 0, x.shape[1] - n)))
        return torch.stack(rows)
