import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Segments of one length are pooled together as a dense batch, in float64."""

    def __init__(self):
        super().__init__()

    def forward(self, x, score, offsets):
        offsets = offsets.long()
        lengths = offsets.diff()
        B, H, D = lengths.numel(), score.shape[1], x.shape[1]
        out = torch.zeros(B, H, D, dtype=torch.float64, device=x.device)
        for n in lengths.unique().tolist():
            if n == 0:
                continue
            segs = (lengths == n).nonzero().squeeze(1)
            rows = offsets[segs][:, None] + torch.arange(n, device=x.device)
            s = score[rows].double()
            dead = torch.isneginf(s).all(1, keepdim=True)
            w = torch.softmax(s.masked_fill(dead, 0.0), dim=1).masked_fill(dead, 0.0)
            out = out.index_copy(0, segs, torch.einsum("blh,bld->bhd", w, x[rows].double()))
        return out.to(x.dtype)
