import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    @torch.no_grad()
    def forward(self, x):
        scale = (x.abs().amax(dim=-1, keepdim=True) / 127.0).clamp_(min=1e-8)
        return x.div_(scale).round_().clamp_(-127.0, 127.0).mul_(scale)
