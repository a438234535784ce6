import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, logits, target, weight):
        n = logits.shape[0]
        m = logits.amax(dim=1, keepdim=True)
        z = logits - m
        lse = torch.exp(z).sum(dim=1).log()
        nll = lse - z[torch.arange(n), target]
        w = weight[target]
        return torch.dot(w, nll) / w.sum()
