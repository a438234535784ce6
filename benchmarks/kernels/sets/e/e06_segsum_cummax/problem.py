import torch
import torch.nn as nn


class Model(nn.Module):
    """Exact int64 segment sums (unsorted ids, empty segments sum to 0) and their running maximum.

    Returns the sums, the running maximum over segments, and its position: the latest
    segment that attains it (as torch.cummax). Values are any int64 whose sums fit.
    """

    def __init__(self, segments):
        super().__init__()
        self.segments = segments

    def forward(self, values, seg):
        sums = torch.zeros(self.segments, values.shape[1], dtype=torch.int64).index_add(0, seg, values)
        peak, where = torch.cummax(sums, dim=0)
        return sums, peak, where


N = 256
K = 6
S = 16
LO = -1000
HI = 1000


def get_inputs():
    return [torch.randint(LO, HI, (N, K)), torch.randint(0, S, (N,))]


def get_init_inputs():
    return [S]
