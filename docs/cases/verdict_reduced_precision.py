import copy

import torch
from torch import nn

torch.manual_seed(0)
expected = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))
actual = copy.deepcopy(expected)
with torch.no_grad():
    for parameter in actual.parameters():
        parameter.copy_(parameter.half())  # a checkpoint that was saved in float16


def inputs(seed):
    torch.manual_seed(seed)
    return (torch.randn(32, 64),)
