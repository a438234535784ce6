import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """
    Weighted cross entropy of logits (N, C) with class indices (N,), mean over
    the kept samples (weighted mean).  target -100 marks an ignored sample.
    Weights are >= 0.
    """

    def __init__(self):
        super().__init__()

    def forward(self, logits: torch.Tensor, target: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return F.cross_entropy(logits, target, weight=weight, ignore_index=-100)


N, C = 256, 120


def get_inputs():
    return [torch.randn(N, C), torch.randint(0, C, (N,)), torch.ones(C)]


def get_init_inputs():
    return []
