import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, ignore_index: int = 255):
        super().__init__()
        self.ignore_index = ignore_index

    def forward(self, logits, labels):
        B, C, H, W = logits.shape
        p = torch.softmax(logits, dim=1).permute(1, 0, 2, 3).reshape(C, -1)
        t = labels.reshape(-1)
        valid = (t != self.ignore_index)
        onehot = F.one_hot(torch.where(valid, t, torch.zeros_like(t)), C).t().to(p.dtype)
        # no error is counted at ignored pixels
        err = (onehot - p).abs() * valid
        err, order = torch.sort(err, dim=1, descending=True)
        fg = onehot.gather(1, order)
        n = fg.sum(1, keepdim=True)
        union = n + (1.0 - fg).cumsum(1)
        jac = 1.0 - (n - fg.cumsum(1)) / union
        grad = torch.cat([jac[:, :1], jac[:, 1:] - jac[:, :-1]], dim=1)
        loss = (err * grad).sum(1)
        present = n[:, 0] > 0
        return loss[present].mean() if present.any() else logits.sum() * 0.0
