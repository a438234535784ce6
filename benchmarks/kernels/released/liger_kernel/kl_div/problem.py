"""The divergence of Kullback and Leibler, by rows."""

import torch
from torch import nn

ROWS, HIDDEN = 24, 200


class Model(nn.Module):
    def forward(self, log_q, p):
        return nn.functional.kl_div(log_q, p.detach(), reduction="batchmean")


def get_inputs():
    return [torch.log_softmax(torch.randn(ROWS, HIDDEN), -1), torch.softmax(torch.randn(ROWS, HIDDEN), -1)]


def get_init_inputs():
    return []
