import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Row maxima removed, exponentials and logs in the fast path, sums returned wide."""

    def __init__(self, num_classes, label_smoothing=0.1, ignore_index=-100):
        super().__init__()
        self.label_smoothing, self.ignore_index = label_smoothing, ignore_index
        self.register_buffer("class_weight", torch.ones(num_classes, dtype=torch.float64))

    def forward(self, logits, target):
        C = logits.shape[1]
        z = logits.float().movedim(1, -1).reshape(-1, C)
        w = self.class_weight.float()
        y = target.reshape(-1)
        valid = y != self.ignore_index
        yc = torch.where(valid, y, torch.zeros_like(y))
        m = z.detach().amax(1, keepdim=True)
        logp = (z - m) - (z - m).exp().sum(1, keepdim=True).log()
        wy = w[yc] * valid
        loss = -(1 - self.label_smoothing) * (wy * logp.gather(1, yc[:, None]).squeeze(1)).sum()
        if self.label_smoothing > 0:
            loss = loss - self.label_smoothing / C * ((logp * w).sum(1) * valid).sum()
        return (loss / wy.sum()).to(logits.dtype)
