import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, eps: float, z: float):
        super().__init__()
        self.eps = eps
        self.z = z

    def forward(self, logits, targets):
        valid = targets != -100
        safe = torch.where(valid, targets, 0)
        lse = logits.exp().sum(dim=-1).log()
        picked = torch.take_along_dim(logits, safe.unsqueeze(-1), dim=-1).squeeze(-1)
        loss = lse - (1 - self.eps) * picked - self.eps * logits.mean(dim=-1) + self.z * lse * lse
        return (loss * valid).sum() / valid.sum().clamp(min=1)
