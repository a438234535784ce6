import numpy as np
import torch
import torch.nn as nn


def _sigmoid(a):
    return 0.5 * np.tanh(0.5 * a) + 0.5


class ModelNew(nn.Module):
    def __init__(self, input_size, hidden_size):
        super().__init__()
        self.cell = nn.GRUCell(input_size, hidden_size)

    def forward(self, x, h):
        c = self.cell
        xn, hn = x.detach().numpy(), h.detach().numpy()
        gi = xn @ c.weight_ih.detach().numpy().T + c.bias_ih.detach().numpy()
        gh = hn @ c.weight_hh.detach().numpy().T + c.bias_hh.detach().numpy()
        ir, iz, inn = np.split(gi, 3, axis=1)
        hr, hz, hnn = np.split(gh, 3, axis=1)
        r, z = _sigmoid(ir + hr), _sigmoid(iz + hz)
        n = np.tanh(inn + r * hnn)
        return torch.from_numpy(((1 - z) * n + z * hn).astype(np.float32))
