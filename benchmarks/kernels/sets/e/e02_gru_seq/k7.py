import numpy as np
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Weights packed once into a contiguous transposed layout."""

    def __init__(self, input_size, hidden_size):
        super().__init__()
        s = hidden_size ** -0.5
        self.weight_ih = nn.Parameter(torch.empty(3 * hidden_size, input_size).uniform_(-s, s))
        self.weight_hh = nn.Parameter(torch.empty(3 * hidden_size, hidden_size).uniform_(-s, s))
        self.bias_ih = nn.Parameter(torch.zeros(3 * hidden_size))
        self.bias_hh = nn.Parameter(torch.zeros(3 * hidden_size))
        self.hidden = hidden_size
        self._packed = None

    def _pack(self):
        if self._packed is None:
            H = self.hidden
            w = torch.cat([self.weight_ih, self.weight_hh], 1)
            self._packed = (w[:2 * H].t().contiguous(), (self.bias_ih + self.bias_hh)[:2 * H])
        return self._packed

    def forward(self, x, h0):
        H = self.hidden
        if torch.is_grad_enabled():
            self._packed = None
        w_rz, b_rz = self._pack()
        h = h0
        outs = []
        for t in range(x.shape[0]):
            rz = torch.sigmoid(torch.addmm(b_rz, torch.cat([x[t], h], 1), w_rz))
            r, z = rz[:, :H], rz[:, H:]
            hn = torch.addmm(self.bias_hh[2 * H:], h, self.weight_hh[2 * H:].t())
            n = torch.tanh(torch.addmm(self.bias_ih[2 * H:], x[t], self.weight_ih[2 * H:].t()) + r * hn)
            h = n + z * (h - n)
            outs.append(h)
        return torch.stack(outs), h.clone()
