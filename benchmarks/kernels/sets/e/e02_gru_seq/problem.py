import torch
import torch.nn as nn


class Model(nn.Module):
    """A GRU over a sequence (PyTorch's gate order r, z, n), returning all states and the last."""

    def __init__(self, input_size, hidden_size):
        super().__init__()
        s = hidden_size ** -0.5
        self.weight_ih = nn.Parameter(torch.empty(3 * hidden_size, input_size).uniform_(-s, s))
        self.weight_hh = nn.Parameter(torch.empty(3 * hidden_size, hidden_size).uniform_(-s, s))
        self.bias_ih = nn.Parameter(torch.zeros(3 * hidden_size))
        self.bias_hh = nn.Parameter(torch.zeros(3 * hidden_size))

    def forward(self, x, h0):
        h = h0
        outs = []
        for t in range(x.shape[0]):
            gi = x[t] @ self.weight_ih.t() + self.bias_ih
            gh = h @ self.weight_hh.t() + self.bias_hh
            i_r, i_z, i_n = gi.chunk(3, 1)
            h_r, h_z, h_n = gh.chunk(3, 1)
            r = torch.sigmoid(i_r + h_r)
            z = torch.sigmoid(i_z + h_z)
            n = torch.tanh(i_n + r * h_n)
            h = (1 - z) * n + z * h
            outs.append(h)
        return torch.stack(outs), h


T = 8
B = 4
I = 10
H = 12


def get_inputs():
    return [torch.randn(T, B, I), torch.randn(B, H)]


def get_init_inputs():
    return [I, H]
