import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Prefix sums over all rows; a segment is the difference of two prefixes."""

    def __init__(self):
        super().__init__()

    def forward(self, x, score, offsets):
        offsets = offsets.long()
        lo, hi = int(offsets[0]), int(offsets[-1])
        x, score, offsets = x[lo:hi], score[lo:hi], offsets - lo
        top = score.detach()
        top = top.amax(0) if top.numel() else top.new_zeros(score.shape[1])
        top = top.masked_fill(top == float("-inf"), 0.0)
        e = torch.exp(score - top)
        ex = e[:, :, None] * x[:, None, :]
        pe = torch.cat([e.new_zeros(1, *e.shape[1:]), e.cumsum(0)])
        px = torch.cat([ex.new_zeros(1, *ex.shape[1:]), ex.cumsum(0)])
        den = pe[offsets[1:]] - pe[offsets[:-1]]
        num = px[offsets[1:]] - px[offsets[:-1]]
        den = torch.where(den > 0, den, torch.ones_like(den))
        return num / den[:, :, None]
