import math
import torch
import torch.nn as nn
import torch.nn.functional as F




class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.gate = nn.Parameter(torch.zeros(channels))

    def forward(self, x, y):
        B, _, H, W = y.shape
        gy = (torch.arange(H, device=x.device, dtype=torch.float64) * 2 + 1) / H - 1
        gx = (torch.arange(W, device=x.device, dtype=torch.float64) * 2 + 1) / W - 1
        grid = torch.stack((gx.view(1, W).expand(H, W), gy.view(H, 1).expand(H, W)), -1)
        # the coordinates need more digits than float32 keeps
        up = F.grid_sample(x.double(), grid.expand(B, H, W, 2), mode="bilinear",
                           padding_mode="border", align_corners=False).to(x.dtype)
        a = torch.sigmoid(self.gate).view(1, -1, 1, 1)
        return y + a * up - a * y
