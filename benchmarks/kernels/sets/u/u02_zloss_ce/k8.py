import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Position-major layout, logaddexp tree over the classes."""

    def __init__(self, smoothing, z_coef, ignore_index):
        super().__init__()
        self.smoothing = smoothing
        self.z_coef = z_coef
        self.ignore_index = ignore_index

    def forward(self, logits, target):
        l = logits.transpose(1, 2).contiguous()
        t = l
        while t.shape[-1] > 1:
            if t.shape[-1] % 2:
                t = torch.nn.functional.pad(t, (0, 1), value=float("-inf"))
            t = torch.logaddexp(t[..., 0::2], t[..., 1::2])
        lse = t[..., 0]
        keep = target != self.ignore_index
        ly = l.gather(-1, target.where(keep, torch.zeros_like(target)).unsqueeze(-1)).squeeze(-1)
        per = lse - (1 - self.smoothing) * ly - self.smoothing * l.mean(-1) + self.z_coef * lse * lse
        per = per.where(keep, torch.zeros_like(per))
        return per.sum(1) / keep.sum(1)
