import torch
import torch.nn as nn


def _tanh(a):
    e = torch.exp(2.0 * a)
    return (e - 1.0) / (e + 1.0)


class ModelNew(nn.Module):
    def __init__(self, input_size, hidden_size):
        super().__init__()
        self.cell = nn.GRUCell(input_size, hidden_size)

    def forward(self, x, h):
        c = self.cell
        gi = x @ c.weight_ih.t() + c.bias_ih
        gh = h @ c.weight_hh.t() + c.bias_hh
        ir, iz, inn = gi.chunk(3, 1)
        hr, hz, hnn = gh.chunk(3, 1)
        r = 1.0 / (1.0 + torch.exp(-(ir + hr)))
        z = 1.0 / (1.0 + torch.exp(-(iz + hz)))
        n = _tanh(inn + r * hnn)
        return (1.0 - z) * n + z * h
