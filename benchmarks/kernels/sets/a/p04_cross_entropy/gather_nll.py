import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, logits, target, weight):
        keep = target != -100
        z = logits[keep]
        t = target[keep]
        m = z.amax(dim=1, keepdim=True)
        lse = m[:, 0] + torch.exp(z - m).sum(1).log()
        return (lse - z.gather(1, t[:, None])[:, 0]).mean()
