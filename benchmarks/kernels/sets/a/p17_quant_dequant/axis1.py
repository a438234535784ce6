import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    @torch.no_grad()
    def forward(self, x):
        amax = x.abs().amax(dim=1, keepdim=True)
        scale = torch.clamp(amax / 127.0, min=1e-8)
        q = torch.round(torch.div(x, scale))
        return torch.clamp(q, -127.0, 127.0).mul(scale)
