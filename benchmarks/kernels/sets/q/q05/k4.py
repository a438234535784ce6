import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Keeps the base sampling grid between calls; only the displacement is added per call."""

    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(()))
        self._base = {}

    def forward(self, img, flow):
        B, C, H, W = img.shape
        key = (H * W, img.dtype, img.device)
        if key not in self._base:
            i = torch.arange(H * W, device=img.device)
            self._base[key] = ((i % W).to(img.dtype), torch.div(i, W, rounding_mode="floor").to(img.dtype))
        bx, by = self._base[key]
        px = (bx + flow[:, 0].reshape(B, -1)).view(B, H, W)
        py = (by + flow[:, 1].reshape(B, -1)).view(B, H, W)
        inside = ((px >= 0) & (px <= W - 1) & (py >= 0) & (py <= H - 1)).unsqueeze(1).to(img.dtype)
        gx = (2 * px + 1) / W - 1
        gy = (2 * py + 1) / H - 1
        out = F.grid_sample(img, torch.stack((gx, gy), -1), padding_mode="border", align_corners=False)
        return out * self.gain, inside
