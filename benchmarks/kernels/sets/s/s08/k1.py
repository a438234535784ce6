import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Only the counted rows are taken, in slices of 32 rows."""

    def __init__(self, ignore_index=-100, label_smoothing=0.1, z_coef=1e-4):
        super().__init__()
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing
        self.z_coef = z_coef

    def forward(self, logits, target):
        rows = (target != self.ignore_index).nonzero().squeeze(1)
        total = 0.0 * logits[:1, :1].float().sum()
        eps, V = self.label_smoothing, logits.shape[1]
        for part in rows.split(32):
            l = logits[part].float()
            top = l.detach().amax(1, keepdim=True)
            c = l - top
            rel = torch.log(torch.exp(c).sum(1))
            lse = rel + top.squeeze(1)
            picked = c.gather(1, target[part, None]).squeeze(1)
            row = rel - (1 - eps) * picked - (eps / V) * c.sum(1)
            total = total + (row + self.z_coef * lse.square()).sum()
        return total / max(rows.numel(), 1)
