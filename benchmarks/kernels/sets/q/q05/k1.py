import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Delegates the sampling to grid_sample with border padding after normalising the coordinates."""

    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(()))

    def forward(self, img, flow):
        B, C, H, W = img.shape
        ys = torch.arange(H, device=img.device, dtype=img.dtype)[:, None]
        xs = torch.arange(W, device=img.device, dtype=img.dtype)[None, :]
        px = xs + flow[:, 0]
        py = ys + flow[:, 1]
        inside = ((px >= 0) & (px <= W - 1) & (py >= 0) & (py <= H - 1)).unsqueeze(1).to(img.dtype)
        gx = px * (2.0 / max(W - 1, 1)) - 1.0
        gy = py * (2.0 / max(H - 1, 1)) - 1.0
        out = F.grid_sample(img, torch.stack((gx, gy), -1), mode="bilinear", padding_mode="border",
                            align_corners=True)
        return out * self.gain, inside
