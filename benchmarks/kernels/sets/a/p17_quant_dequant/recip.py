import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    @torch.no_grad()
    def forward(self, x):
        amax = x.abs().amax(dim=-1, keepdim=True)
        scale = (amax / 127.0).clamp_min(1e-8)
        inv = 1.0 / scale
        q = torch.round(x * inv).clamp_(-127, 127)
        return q.mul_(scale)
