import torch
import torch.nn.functional as F


def actual(x, W, B):
    return x @ W.T + B


def expected(x, W, B):
    return F.linear(x, W, B)


def inputs(seed):
    torch.manual_seed(seed)
    return torch.randn(32, 2048), torch.randn(512, 2048), torch.randn(512)
