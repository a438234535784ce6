import copy

import torch
from torch import nn

import halfulp

torch.manual_seed(0)
expected = nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.LayerNorm(64), nn.Linear(64, 8)).eval()
exported = copy.deepcopy(expected)
exported[2].eps = 1e-3  # a mistake on the way to ONNX
actual = halfulp.backend("onnxruntime").implement(exported)


def inputs(seed):
    torch.manual_seed(seed)
    return (torch.randn(16, 32),)
