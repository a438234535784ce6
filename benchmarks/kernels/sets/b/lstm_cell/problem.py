import torch
import torch.nn as nn


class Model(nn.Module):
    """One LSTM step; inference only (no gradients). Returns (h', c').

    x: float32 (batch, input_size), h and c: float32 (batch, hidden_size); finite, c with
    magnitude up to 1e4, any weights with magnitude up to 100. Any sizes >= 1. The inputs are
    left as they are (the caller still uses the old state), the results are new tensors.
    """

    def __init__(self, input_size, hidden_size):
        super().__init__()
        self.cell = nn.LSTMCell(input_size, hidden_size)

    def forward(self, x, h, c):
        return self.cell(x, (h, c))


batch, input_size, hidden_size = 20, 48, 96


def get_inputs():
    x = torch.randn(batch, input_size)
    h = torch.zeros(batch, hidden_size)
    c = torch.zeros(batch, hidden_size)
    return [x, h, c]


def get_init_inputs():
    return [input_size, hidden_size]
