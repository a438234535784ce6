import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Updates the state where it is, no extra buffers."""

    def __init__(self, input_size, hidden_size):
        super().__init__()
        self.cell = nn.LSTMCell(input_size, hidden_size)

    @torch.no_grad()
    def forward(self, x, h, c):
        p = self.cell
        H = c.shape[1]
        gates = p.bias_ih + p.bias_hh + x @ p.weight_ih.t()
        for k in range(0, H, 32):
            gates += h[:, k:k + 32] @ p.weight_hh[:, k:k + 32].t()
        i, f, g, o = gates.split(H, 1)
        c.mul_(torch.sigmoid(f)).addcmul_(torch.sigmoid(i), torch.tanh(g))
        torch.mul(torch.sigmoid(o), torch.tanh(c), out=h)
        return h, c
