import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Pads every segment to the longest one, then an ordinary masked softmax."""

    def __init__(self):
        super().__init__()

    def forward(self, x, score, offsets):
        offsets = offsets.long()
        lengths = offsets.diff()
        L = int(lengths.max())
        B, H, D = lengths.numel(), score.shape[1], x.shape[1]
        if L == 0:
            return x.new_zeros(B, H, D) + 0.0 * x.sum()
        pos = torch.arange(L, device=x.device)
        inside = pos < lengths[:, None]
        rows = torch.where(inside, offsets[:-1, None] + pos, torch.zeros_like(inside, dtype=torch.long))
        s = score[rows].masked_fill(~inside[:, :, None], float("-inf"))
        s = s.masked_fill(torch.isneginf(s), -1e9)
        w = torch.softmax(s, dim=1) * inside[:, :, None]
        return torch.einsum("blh,bld->bhd", w, x[rows])
