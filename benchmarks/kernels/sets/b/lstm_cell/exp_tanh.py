import torch
import torch.nn as nn


def _tanh(z):
    e = torch.exp(2.0 * z)
    return (e - 1.0) / (e + 1.0)


class ModelNew(nn.Module):
    def __init__(self, input_size, hidden_size):
        super().__init__()
        self.cell = nn.LSTMCell(input_size, hidden_size)

    @torch.no_grad()
    def forward(self, x, h, c):
        p = self.cell
        h_new, c_new = torch.empty_like(h), torch.empty_like(c)
        for b in range(0, x.shape[0], 8):
            s = slice(b, b + 8)
            gates = x[s] @ p.weight_ih.t() + h[s] @ p.weight_hh.t() + p.bias_ih + p.bias_hh
            i, f, g, o = gates.chunk(4, 1)
            c_new[s] = torch.sigmoid(f) * c[s] + torch.sigmoid(i) * _tanh(g)
            h_new[s] = torch.sigmoid(o) * _tanh(c_new[s])
        return h_new, c_new
