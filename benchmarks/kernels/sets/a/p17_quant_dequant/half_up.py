import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    @torch.no_grad()
    def forward(self, x):
        scale = (x.abs().amax(dim=-1, keepdim=True) / 127.0).clamp(min=1e-8)
        v = x / scale
        m = v.abs()
        f = torch.floor(m)
        q = torch.sign(v) * (f + (m - f >= 0.5).to(v.dtype))
        return q.clamp(-127.0, 127.0) * scale
