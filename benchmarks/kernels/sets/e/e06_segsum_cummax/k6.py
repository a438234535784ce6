import numpy as np
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """numpy add.at on a compact accumulator, widened at the end."""

    def __init__(self, segments):
        super().__init__()
        self.segments = segments

    def forward(self, values, seg):
        acc = np.zeros((self.segments, values.shape[1]), dtype=np.int32)
        np.add.at(acc, seg.numpy(), values.numpy().astype(np.int32))
        sums = torch.from_numpy(acc).to(torch.int64)
        peak, where = torch.cummax(sums, dim=0)
        return sums, peak, where
