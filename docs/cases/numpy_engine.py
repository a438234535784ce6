import numpy as np
import torch
import torch.nn.functional as F

import halfulp


def in_numpy(x, W, B):
    return np.tanh(x @ W.T + B)


actual = halfulp.backend("numpy").implement(in_numpy)


def expected(x, W, B):
    return torch.tanh(F.linear(x, W, B))


def inputs(seed):
    torch.manual_seed(seed)
    return torch.randn(8, 256), torch.randn(64, 256) / 16, torch.randn(64)
