import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Streams over the vocabulary in slices and only looks at the rows that count."""

    SLICE = 96

    def __init__(self, label_smoothing: float = 0.1, z_weight: float = 1e-4, ignore_index: int = -100):
        super().__init__()
        self.label_smoothing = label_smoothing
        self.z_weight = z_weight
        self.ignore_index = ignore_index

    def forward(self, logits, target):
        rows = (target != self.ignore_index).nonzero().squeeze(1)
        if rows.numel() == 0:
            return logits[:0].sum()
        x = logits.index_select(0, rows)
        t = target.index_select(0, rows)
        V = x.shape[1]
        lse = None
        total = x.new_zeros(x.shape[0])
        for part in x.split(self.SLICE, dim=1):
            part_lse = torch.logsumexp(part, dim=1)
            lse = part_lse if lse is None else torch.logaddexp(lse, part_lse)
            total = total + part.sum(dim=1)
        xt = x.gather(1, t.unsqueeze(1)).squeeze(1)
        ls = self.label_smoothing
        per_row = lse - torch.lerp(xt, total / V, ls) + self.z_weight * lse * lse
        return per_row.mean()
