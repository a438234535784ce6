import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Sort by segment, prefix sums, differences at the segment ends."""

    def __init__(self, segments):
        super().__init__()
        self.segments = segments

    def forward(self, values, seg):
        S = self.segments
        order = torch.argsort(seg)
        prefix = torch.zeros(values.shape[0] + 1, values.shape[1], dtype=torch.int64)
        torch.cumsum(values[order], 0, out=prefix[1:])
        ends = torch.cumsum(torch.bincount(seg, minlength=S), 0)
        starts = torch.cat([ends.new_zeros(1), ends[:-1]])
        sums = prefix[ends] - prefix[starts]
        peak, where = torch.cummax(sums, 0)
        return sums, peak, where
