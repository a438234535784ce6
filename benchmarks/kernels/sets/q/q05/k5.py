import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """grid_sample in the half-pixel convention, after transforming the pixel coordinates to it."""

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
        gx = (2 * px + 1) / W - 1
        gy = (2 * py + 1) / H - 1
        out = F.grid_sample(img, torch.stack((gx, gy), dim=-1), mode="bilinear", padding_mode="border",
                            align_corners=False)
        return self.gain * out, inside
