import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, eps: float, z: float):
        super().__init__()
        self.eps = eps
        self.z = z

    def forward(self, logits, targets):
        V = logits.size(-1)
        x = logits.reshape(-1, V)
        t = targets.reshape(-1)
        ce = F.cross_entropy(x, t, ignore_index=-100, label_smoothing=self.eps)
        w = (t != -100).to(x.dtype)
        lse = torch.logsumexp(x, dim=-1)
        return ce + self.z * torch.dot(w, lse * lse) / w.sum()
