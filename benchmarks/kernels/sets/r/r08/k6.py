import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Single matrix product for the coordinates, then the library sampler."""

    def __init__(self, scale: float):
        super().__init__()
        self.theta = nn.Parameter(torch.tensor([[scale, 0.03171, 0.21374], [-0.04129, scale - 0.01733, -0.13297]]))

    def forward(self, img):
        B, C, H, W = img.shape
        size = torch.tensor(img.shape[2:], dtype=torch.float32)
        centre = (size - 1) / 2
        gy, gx = torch.meshgrid(torch.arange(H, dtype=torch.float32), torch.arange(W, dtype=torch.float32),
                                indexing="ij")
        rel = torch.stack([gx, gy], -1) - centre
        src = rel @ self.theta[:, :2].t() + self.theta[:, 2] + centre
        grid = (2 * src + 1) / size - 1
        return F.grid_sample(img, grid.expand(B, H, W, 2), padding_mode="zeros", align_corners=False)
