import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, ignore_index: int = 255):
        super().__init__()
        self.ignore_index = ignore_index

    def forward(self, logits, labels):
        C = logits.shape[1]
        p = torch.softmax(logits, dim=1).movedim(1, -1).reshape(-1, C)
        t = labels.reshape(-1)
        keep = t != self.ignore_index
        p, t = p[keep], t[keep]
        if t.numel() == 0:
            return logits.sum() * 0.0
        fg = (t[:, None] == torch.arange(C, device=t.device)).to(p.dtype)
        err = (fg - p).abs()
        err, order = torch.sort(err, dim=0, descending=True)
        fg = fg.gather(0, order)
        n = fg.sum(0)
        jac = 1.0 - (n - fg.cumsum(0)) / (n + (1.0 - fg).cumsum(0))
        jac = torch.cat([jac[:1], jac[1:] - jac[:-1]])
        return (err * jac).sum(0).mean()
