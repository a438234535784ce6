import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """One sweep over the classes: sum of exponentials and the picked logit."""

    def __init__(self):
        super().__init__()

    def forward(self, logits, target, weight):
        n, c = logits.shape
        keep = target != -100
        safe_t = torch.where(keep, target, torch.zeros_like(target))
        s = logits.new_zeros(n)
        picked = logits.new_zeros(n)
        for j in range(0, c, 40):
            t = logits[:, j:j + 40]
            s = s + torch.exp(t).sum(1)
            local = safe_t - j
            inside = (local >= 0) & (local < t.shape[1])
            v = t.gather(1, local.clamp(0, t.shape[1] - 1)[:, None])[:, 0]
            picked = torch.where(inside, v, picked)
        w = torch.where(keep, weight[safe_t], torch.zeros_like(s))
        return (w * (torch.log(s) - picked)).sum() / w.sum()
