import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, logits, target, weight):
        total = logits.new_zeros(())
        count = 0
        for i in range(0, logits.shape[0], 64):
            z, t = logits[i:i + 64], target[i:i + 64]
            keep = t != -100
            z, t = z[keep], t[keep]
            m = z.amax(dim=1, keepdim=True)
            lse = m[:, 0] + torch.exp(z - m).sum(1).log()
            nll = lse - z[torch.arange(t.numel()), t]
            total = total + (weight[t] * nll).sum()
            count += t.numel()
        return total / count
