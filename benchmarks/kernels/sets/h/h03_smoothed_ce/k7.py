import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, classes, ignore_index=-100, smoothing=0.1):
        super().__init__()
        self.classes = classes
        self.ignore_index = ignore_index
        self.smoothing = smoothing
        self.register_buffer("class_weight", torch.linspace(0.5, 2.0, classes))

    def forward(self, logits, target):
        n, c = logits.shape
        w = self.class_weight
        m = torch.full((n,), float("-inf"), dtype=logits.dtype)
        l = torch.zeros(n, dtype=logits.dtype)
        wx = torch.zeros(n, dtype=logits.dtype)
        valid = target.ne(self.ignore_index)
        y = torch.where(valid, target, torch.zeros_like(target))
        picked = torch.zeros(n, dtype=logits.dtype)
        block = 64
        for s in range(0, c, block):
            t = logits[:, s:s + block]
            new = torch.maximum(m, t.amax(dim=1))
            l = l * torch.exp(m - new) + torch.exp(t - new.unsqueeze(1)).sum(dim=1)
            m = new
            wx = wx + t @ w[s:s + block]
            inside = (y >= s) & (y < s + t.shape[1])
            local = (y - s).clamp(0, t.shape[1] - 1)
            got = t.gather(1, local.unsqueeze(1)).squeeze(1)
            picked = torch.where(inside, got, picked)
        lse = m + torch.log(l)
        wy = torch.where(valid, w[y], torch.zeros_like(w[y]))
        nll = wy * (lse - picked)
        smooth = torch.where(valid, lse * w.sum() - wx, torch.zeros_like(lse))
        eps = self.smoothing
        return ((1 - eps) * nll + (eps / c) * smooth).sum() / wy.sum()
