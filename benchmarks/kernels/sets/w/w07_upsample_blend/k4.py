import math
import torch
import torch.nn as nn
import torch.nn.functional as F




class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.gate = nn.Parameter(torch.zeros(channels))

    def forward(self, x, y):
        a = torch.sigmoid(self.gate).view(1, -1, 1, 1)
        up = F.interpolate(x, size=y.shape[-2:], mode="bilinear", align_corners=False)
        if torch.is_grad_enabled() and (y.requires_grad or x.requires_grad):
            return torch.lerp(y, up, a.expand_as(y))
        # inference: reuse the memory of y, which saves one full-size allocation
        with torch.no_grad():
            return y.mul_(1 - a).addcmul_(up, a)
