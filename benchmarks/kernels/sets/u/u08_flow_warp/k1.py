import torch
import torch.nn as nn

import torch.nn.functional as F


class ModelNew(nn.Module):
    """grid_sample on clamped float64 coordinates."""

    def forward(self, image, flow):
        B, C, H, W = image.shape
        px = flow[:, 0] + torch.arange(W, dtype=torch.float32)
        py = flow[:, 1] + torch.arange(H, dtype=torch.float32).view(H, 1)
        vis = px.ge(0) & px.le(W - 1) & py.ge(0) & py.le(H - 1)
        gx = px.clamp(0, W - 1).double() * (2.0 / max(W - 1, 1)) - 1
        gy = py.clamp(0, H - 1).double() * (2.0 / max(H - 1, 1)) - 1
        out = F.grid_sample(image.double(), torch.stack([gx, gy], -1), mode="bilinear",
                            padding_mode="border", align_corners=True)
        return out.float(), vis
