import copy

import torch
from torch import nn

torch.manual_seed(0)
expected = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 8)).eval()
actual = copy.deepcopy(expected).train()  # a copy on which nobody called eval()


def inputs(seed):
    torch.manual_seed(seed)
    return (torch.randn(16, 32),)
