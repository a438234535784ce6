import torch
import torch.nn as nn

FORGET_BIAS = 1.0


class ModelNew(nn.Module):
    def __init__(self, input_size, hidden_size):
        super().__init__()
        self.cell = nn.LSTMCell(input_size, hidden_size)

    @torch.no_grad()
    def forward(self, x, h, c):
        p = self.cell
        H = c.shape[1]
        out = []
        for g in range(4):
            r = slice(g * H, (g + 1) * H)
            out.append(torch.addmm(p.bias_ih[r], x, p.weight_ih[r].t())
                       + torch.addmm(p.bias_hh[r], h, p.weight_hh[r].t()))
        i, f, g, o = out
        cn = torch.sigmoid(f + FORGET_BIAS) * c + torch.sigmoid(i) * torch.tanh(g)
        return torch.sigmoid(o) * torch.tanh(cn), cn
