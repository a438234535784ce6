import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Gather from an image padded by one zero pixel, which removes the per-tap bounds tests."""

    def __init__(self, scale: float):
        super().__init__()
        self.theta = nn.Parameter(torch.tensor([[scale, 0.03171, 0.21374], [-0.04129, scale - 0.01733, -0.13297]]))

    def forward(self, img):
        B, C, H, W = img.shape
        y = torch.arange(H, dtype=img.dtype)[:, None] - (H - 1) / 2
        x = torch.arange(W, dtype=img.dtype)[None, :] - (W - 1) / 2
        t = self.theta
        xs = t[0, 0] * x + t[0, 1] * y + t[0, 2] + (W - 1) / 2
        ys = t[1, 0] * x + t[1, 1] * y + t[1, 2] + (H - 1) / 2
        xi, yi = xs.detach().int().long(), ys.detach().int().long()
        fx, fy = xs - xi, ys - yi
        pad = F.pad(img, (1, 1, 1, 1)).reshape(B, C, -1)
        P = W + 2

        def tap(dy, dx):
            i = (yi + dy + 1).clamp(0, H + 1) * P + (xi + dx + 1).clamp(0, W + 1)
            return pad[:, :, i.reshape(-1)].reshape(B, C, H, W)

        top = tap(0, 0) * (1 - fx) + tap(0, 1) * fx
        bot = tap(1, 0) * (1 - fx) + tap(1, 1) * fx
        return top * (1 - fy) + bot * fy
