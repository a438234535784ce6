import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """[x, h] times [W_ih, W_hh] as one product with a split over the inner dimension, float64."""

    def __init__(self, input_size, hidden_size):
        super().__init__()
        self.cell = nn.LSTMCell(input_size, hidden_size)

    @torch.no_grad()
    def forward(self, x, h, c):
        w = torch.cat([self.cell.weight_ih, self.cell.weight_hh], 1).double()
        z = torch.cat([x, h], 1).double()
        acc = (self.cell.bias_ih.double() + self.cell.bias_hh.double()).repeat(x.shape[0], 1)
        for k in range(0, z.shape[1], 40):
            acc += z[:, k:k + 40] @ w[:, k:k + 40].t()
        i, f, g, o = acc.chunk(4, 1)
        cn = c.double() / (1 + torch.exp(-f)) + torch.tanh(g) / (1 + torch.exp(-i))
        hn = torch.tanh(cn) / (1 + torch.exp(-o))
        return hn.float(), cn.float()
