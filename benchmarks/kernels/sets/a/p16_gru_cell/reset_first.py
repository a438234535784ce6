import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Reset is folded into the state before the candidate GEMM."""

    def __init__(self, input_size, hidden_size):
        super().__init__()
        self.cell = nn.GRUCell(input_size, hidden_size)

    def forward(self, x, h):
        c = self.cell
        H = h.shape[1]
        gi = x @ c.weight_ih.t() + c.bias_ih
        gh = h @ c.weight_hh[:2 * H].t() + c.bias_hh[:2 * H]
        r = torch.sigmoid(gi[:, :H] + gh[:, :H])
        z = torch.sigmoid(gi[:, H:2 * H] + gh[:, H:])
        n = torch.tanh(gi[:, 2 * H:] + (r * h) @ c.weight_hh[2 * H:].t() + r * c.bias_hh[2 * H:])
        return (1 - z) * n + z * h
