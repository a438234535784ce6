import torch
import torch.nn as nn


class _Base(nn.Module):
    def __init__(self, ignore_index, label_smoothing, z_loss):
        super().__init__()
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing
        self.z_loss = z_loss


class ModelNew(_Base):
    """Drops the ignored rows first and works on the rest."""

    def forward(self, logits, targets):
        rows = torch.nonzero(targets != self.ignore_index)[:, 0]
        if rows.numel() == 0:
            return logits[:0].sum()
        x = logits.index_select(0, rows)
        y = targets.index_select(0, rows)
        top = x.detach().max(1, keepdim=True).values
        x = x - top
        logl = x.exp().sum(1).log()
        q = self.label_smoothing / x.shape[1]
        w = torch.full_like(x, q)
        w[torch.arange(rows.numel(), device=x.device), y] += 1 - self.label_smoothing
        loss = logl - torch.einsum("nc,nc->n", w, x) + self.z_loss * (logl + top[:, 0]) ** 2
        return loss.mean()
