"""Cross entropy, and the total variation from a teacher, by token."""

import torch
from torch import nn

ROWS, CLASSES = 24, 300


class Model(nn.Module):
    def forward(self, student, teacher, target):
        q, p = torch.softmax(student, -1), torch.softmax(teacher.detach(), -1)
        return nn.functional.cross_entropy(student, target, reduction="none"), 0.5 * (q - p).abs().sum(-1)


def get_inputs():
    return [torch.randn(ROWS, CLASSES), torch.randn(ROWS, CLASSES), torch.randint(0, CLASSES, (ROWS,))]


def get_init_inputs():
    return []
