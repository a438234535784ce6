"""Warping on a zero-framed image: after clamping, all four taps are plain reads of the frame."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, padding="border"):
        super().__init__()
        self.border = padding == "border"

    def forward(self, img, flow):
        B, C, H, W = img.shape
        x = flow[:, 0] + torch.arange(W, dtype=flow.dtype).view(1, 1, W)
        y = flow[:, 1] + torch.arange(H, dtype=flow.dtype).view(1, H, 1)
        if self.border:
            x, y = torch.clamp(x, 0, W - 1), torch.clamp(y, 0, H - 1)
        else:
            x, y = torch.clamp(x, -1, W), torch.clamp(y, -1, H)
        fr = F.pad(img, (1, 2, 1, 2))                       # pixel (y, x) sits at (y + 1, x + 1)
        S = W + 3
        xi, yi = x.floor().long(), y.floor().long()
        fx, fy = (x - xi)[:, None], (y - yi)[:, None]
        base = ((yi + 1) * S + xi + 1).view(B, 1, H * W).expand(B, C, H * W)
        fr = fr.reshape(B, C, -1)

        def tap(o):
            return fr.gather(2, base + o).view(B, C, H, W)

        top = torch.lerp(tap(0), tap(1), fx.expand(B, C, H, W))
        bot = torch.lerp(tap(S), tap(S + 1), fx.expand(B, C, H, W))
        return torch.lerp(top, bot, fy.expand(B, C, H, W))
