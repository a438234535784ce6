import torch
import torch.nn as nn


def _sig(v):
    return 1.0 / (1.0 + torch.exp(-v))


def _tanh(v):
    e = torch.exp(2.0 * v)
    return (e - 1.0) / (e + 1.0)


class ModelNew(nn.Module):
    """Gates written with a single exponential each."""

    def __init__(self, input_size, hidden_size):
        super().__init__()
        s = hidden_size ** -0.5
        self.weight_ih = nn.Parameter(torch.empty(3 * hidden_size, input_size).uniform_(-s, s))
        self.weight_hh = nn.Parameter(torch.empty(3 * hidden_size, hidden_size).uniform_(-s, s))
        self.bias_ih = nn.Parameter(torch.zeros(3 * hidden_size))
        self.bias_hh = nn.Parameter(torch.zeros(3 * hidden_size))
        self.hidden = hidden_size

    def forward(self, x, h0):
        T, B, I = x.shape
        H = self.hidden
        gi = torch.addmm(self.bias_ih, x.reshape(T * B, I), self.weight_ih.t()).view(T, B, 3 * H)
        h = h0
        outs = []
        for t in range(T):
            gh = torch.addmm(self.bias_hh, h, self.weight_hh.t())
            r = _sig(gi[t, :, :H] + gh[:, :H])
            z = _sig(gi[t, :, H:2 * H] + gh[:, H:2 * H])
            n = _tanh(gi[t, :, 2 * H:] + r * gh[:, 2 * H:])
            h = (1 - z) * n + z * h
            outs.append(h)
        return torch.stack(outs), h.clone()
