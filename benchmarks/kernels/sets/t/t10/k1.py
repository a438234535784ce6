"""Warping with the library's grid_sample (half-pixel convention), coordinates and image in float64."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, padding="border"):
        super().__init__()
        self.padding = padding

    def forward(self, img, flow):
        B, C, H, W = img.shape
        f = flow.double()
        x = (f[:, 0] + torch.arange(W).double()).clamp(-3.0, W + 2.0)
        y = (f[:, 1] + torch.arange(H).double()[:, None]).clamp(-3.0, H + 2.0)
        grid = torch.stack(((2 * x + 1) / W - 1, (2 * y + 1) / H - 1), -1)
        out = F.grid_sample(img.double(), grid, mode="bilinear", padding_mode=self.padding, align_corners=False)
        return out.to(img.dtype)
