import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """All input projections as one matmul; r and z biases merged ahead of the loop."""

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
        bias = self.bias_ih + torch.cat([self.bias_hh[:2 * H], torch.zeros_like(self.bias_hh[2 * H:])])
        gi = torch.addmm(bias, x.reshape(T * B, I), self.weight_ih.t()).view(T, B, 3 * H)
        w_rz, w_n = self.weight_hh[:2 * H].t(), self.weight_hh[2 * H:].t()
        b_n = self.bias_hh[2 * H:]
        h = h0
        outs = []
        for t in range(T):
            rz = torch.sigmoid(torch.addmm(gi[t, :, :2 * H], h, w_rz))
            r, z = rz[:, :H], rz[:, H:]
            n = torch.tanh(torch.addcmul(gi[t, :, 2 * H:], r, torch.addmm(b_n, h, w_n)))
            h = torch.lerp(n, h, z)
            outs.append(h)
        return torch.stack(outs), h.clone()
