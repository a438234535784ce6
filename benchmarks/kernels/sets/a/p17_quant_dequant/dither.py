import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    @torch.no_grad()
    def forward(self, x):
        scale = (x.abs().amax(dim=-1, keepdim=True) / 127.0).clamp(min=1e-8)
        v = x / scale
        q = torch.floor(v + torch.rand_like(v)).clamp_(-127, 127)
        return q * scale
