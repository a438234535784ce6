import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """One activation for all gates: sigmoid(z) = 0.5 + 0.5 * tanh(z / 2), tanh through expm1."""

    def __init__(self, input_size, hidden_size):
        super().__init__()
        self.cell = nn.LSTMCell(input_size, hidden_size)

    @staticmethod
    def _tanh(z):
        t = torch.expm1(-2.0 * z.abs())
        return torch.sign(z) * (-t / (t + 2.0))

    @torch.no_grad()
    def forward(self, x, h, c):
        H = c.shape[1]
        gates = torch.empty(x.shape[0], 4 * H)
        for r in range(x.shape[0]):
            gates[r] = self.cell.weight_ih @ x[r] + self.cell.weight_hh @ h[r]
        gates += self.cell.bias_ih
        gates += self.cell.bias_hh
        act = gates.view(-1, 4, H)
        half = torch.tensor([0.5, 0.5, 1.0, 0.5]).view(1, 4, 1)
        act = self._tanh(act.double() * half)
        i = 0.5 + 0.5 * act[:, 0]
        f = 0.5 + 0.5 * act[:, 1]
        o = 0.5 + 0.5 * act[:, 3]
        cn = f * c + i * act[:, 2]
        return (o * self._tanh(cn)).float(), cn.float()
