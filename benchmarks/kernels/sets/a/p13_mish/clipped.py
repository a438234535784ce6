import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        flat = x.reshape(-1)
        out = torch.zeros_like(flat)
        for i in range(0, flat.numel(), 4096):
            t = flat[i:i + 4096]
            sp = torch.log1p(torch.exp(-t.abs())) + t.clamp(min=0)
            y = t * torch.tanh(sp)
            out[i:i + 4096] = torch.where(t < -7.0, torch.zeros_like(t), y)
        return out.view(x.shape)
