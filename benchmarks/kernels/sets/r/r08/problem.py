import torch
import torch.nn as nn


class Model(nn.Module):
    """Learnable affine image warp with bilinear sampling and zero padding.

    Output pixel (y, x) reads the source at, with cx = (W - 1) / 2 and cy = (H - 1) / 2,
        xs = theta[0,0] * (x - cx) + theta[0,1] * (y - cy) + theta[0,2] + cx
        ys = theta[1,0] * (x - cx) + theta[1,1] * (y - cy) + theta[1,2] + cy
    Pixels outside the image count as 0, each of the four taps on its own. theta is trained
    and may take any finite values of magnitude up to 50 (large moves push much of the source
    outside the image). Gradients flow to the image and to theta; at exactly integer source
    coordinates any one-sided derivative with respect to theta is acceptable.
    """

    def __init__(self, scale: float):
        super().__init__()
        self.theta = nn.Parameter(torch.tensor([[scale, 0.03171, 0.21374], [-0.04129, scale - 0.01733, -0.13297]]))

    def forward(self, img: torch.Tensor) -> torch.Tensor:
        """
        Args:
            img: float32 [B, C, H, W], finite; B, C, H, W >= 1 arbitrary (H and W may differ).
        Returns:
            [B, C, H, W]
        """
        B, C, H, W = img.shape
        y = torch.arange(H, dtype=img.dtype)[:, None] - (H - 1) / 2
        x = torch.arange(W, dtype=img.dtype)[None, :] - (W - 1) / 2
        t = self.theta
        xs = t[0, 0] * x + t[0, 1] * y + t[0, 2] + (W - 1) / 2
        ys = t[1, 0] * x + t[1, 1] * y + t[1, 2] + (H - 1) / 2
        x0, y0 = torch.floor(xs.detach()), torch.floor(ys.detach())
        fx, fy = xs - x0, ys - y0
        out = 0
        flat = img.reshape(B, C, H * W)
        for dy in (0, 1):
            for dx in (0, 1):
                xi, yi = (x0 + dx).long(), (y0 + dy).long()
                ok = (xi >= 0) & (xi < W) & (yi >= 0) & (yi < H)
                wgt = (fx if dx else 1 - fx) * (fy if dy else 1 - fy)
                idx = (yi.clamp(0, H - 1) * W + xi.clamp(0, W - 1)).reshape(-1)
                tap = flat[:, :, idx].reshape(B, C, H, W)
                out = out + torch.where(ok, tap * wgt, torch.zeros_like(tap))
        return out


BATCH = 2
CHANNELS = 3
SIZE = 16


def get_inputs():
    return [torch.randn(BATCH, CHANNELS, SIZE, SIZE)]


def get_init_inputs():
    return [0.9]
