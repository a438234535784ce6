import torch
import torch.nn.functional as F


def actual(x):
    return F.layer_norm(x, (256,), eps=1e-6)


def expected(x):
    return F.layer_norm(x, (256,), eps=1e-5)


def inputs(seed):
    torch.manual_seed(seed)
    return (torch.randn(64, 256),)
