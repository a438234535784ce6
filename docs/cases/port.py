import copy

import torch
from torch import nn

torch.manual_seed(0)
layer = nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True)
expected = nn.TransformerEncoder(layer, 6, enable_nested_tensor=False)
actual = copy.deepcopy(expected)
actual.layers[3].norm1.eps = 1e-6  # a port with another epsilon


def inputs(seed):
    torch.manual_seed(seed)
    return (torch.randn(2, 16, 64),)
