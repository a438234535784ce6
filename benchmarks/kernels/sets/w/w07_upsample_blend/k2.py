import math
import torch
import torch.nn as nn
import torch.nn.functional as F

def _axis(n_in, n_out, device):
    scale = n_out // n_in
    pos = (torch.arange(n_out, device=device, dtype=torch.float32) + 0.5) / scale - 0.5
    pos = pos.clamp_min(0.0)
    i0 = pos.long().clamp(max=n_in - 1)
    i1 = (i0 + 1).clamp(max=n_in - 1)
    return i0, i1, pos - i0


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.gate = nn.Parameter(torch.zeros(channels))

    def forward(self, x, y):
        H, W = y.shape[-2:]
        if H < x.shape[2] or W < x.shape[3]:
            up = F.interpolate(x, size=(H, W), mode="bilinear", align_corners=False)
        else:
            r0, r1, fr = _axis(x.shape[2], H, x.device)
            c0, c1, fc = _axis(x.shape[3], W, x.device)
            rows = torch.lerp(x[:, :, r0], x[:, :, r1], fr.view(-1, 1))
            up = torch.lerp(rows[..., c0], rows[..., c1], fc)
        a = torch.sigmoid(self.gate).view(1, -1, 1, 1)
        return torch.lerp(y, up, a)
