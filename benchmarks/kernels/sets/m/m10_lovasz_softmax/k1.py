import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, ignore_index: int = 255):
        super().__init__()
        self.ignore_index = ignore_index

    def forward(self, logits, labels):
        # all classes sorted together; ignored pixels get error 0 and are background of every
        # class, so they end up behind all others and contribute nothing
        B, C, H, W = logits.shape
        p = torch.softmax(logits, dim=1).transpose(0, 1).flatten(1)
        t = labels.reshape(-1)
        valid = t != self.ignore_index
        fg = (t[None, :] == torch.arange(C, device=t.device)[:, None]) & valid
        fg = fg.to(p.dtype)
        err = torch.where(valid, (fg - p).abs(), torch.zeros_like(p))
        err, order = err.sort(dim=1, descending=True)
        fgs = fg.gather(1, order)
        n = fg.sum(1, keepdim=True)
        hit = fgs.cumsum(1)
        miss = (1 - fgs).cumsum(1)
        jac = 1 - (n - hit) / (n + miss)
        step = torch.diff(jac, dim=1, prepend=torch.zeros_like(jac[:, :1]))
        present = (n[:, 0] > 0).to(p.dtype)
        per_class = (err * step).sum(1)
        return (per_class * present).sum() / present.sum().clamp(min=1)
