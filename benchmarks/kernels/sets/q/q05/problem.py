import torch
import torch.nn as nn

BATCH = 2
CHANNELS = 3
HEIGHT = 20
WIDTH = 20


class Model(nn.Module):
    """Backward warping of an image by a displacement field, bilinear, border clamped.

    forward(img, flow):
      img   float32, (B, C, H, W), any strides
      flow  float32, (B, 2, H, W), finite, |flow| <= 1e4, in pixels; flow[:, 0] is dx and flow[:, 1] is dy
    B, C, H, W >= 1 are arbitrary (H and W may differ, either may be 1).
    At pixel (y, x) the source position is (y + dy, x + dx), each coordinate clamped to [0, H-1] and [0, W-1];
    the four neighbours are blended bilinearly and the result is multiplied by the channel-free parameter `gain`.
    inside is 1.0 where the unclamped position lies in the closed rectangle [0, W-1] x [0, H-1], else 0.0.
    Returns (out (B, C, H, W), inside (B, 1, H, W)).
    out is differentiable in img, flow and gain (used only where no source coordinate is an integer; where a
    coordinate was clamped, its gradient is zero).
    """

    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(()))

    def forward(self, img, flow):
        B, C, H, W = img.shape
        ys = torch.arange(H, device=img.device, dtype=img.dtype)[:, None]
        xs = torch.arange(W, device=img.device, dtype=img.dtype)[None, :]
        px = xs + flow[:, 0]
        py = ys + flow[:, 1]
        inside = (px >= 0) & (px <= W - 1) & (py >= 0) & (py <= H - 1)
        px = px.clamp(0, W - 1)
        py = py.clamp(0, H - 1)
        x0 = px.detach().floor()
        y0 = py.detach().floor()
        fx = (px - x0)[:, None]
        fy = (py - y0)[:, None]
        x0 = x0.long()
        y0 = y0.long()
        x1 = (x0 + 1).clamp(max=W - 1)
        y1 = (y0 + 1).clamp(max=H - 1)
        b = torch.arange(B, device=img.device)[:, None, None]

        def at(y, x):
            return img[b, :, y, x].permute(0, 3, 1, 2)

        top = at(y0, x0) * (1 - fx) + at(y0, x1) * fx
        bot = at(y1, x0) * (1 - fx) + at(y1, x1) * fx
        out = top * (1 - fy) + bot * fy
        return out * self.gain, inside[:, None].to(img.dtype)


def get_inputs():
    return [torch.randn(BATCH, CHANNELS, HEIGHT, WIDTH), 1.3 * torch.randn(BATCH, 2, HEIGHT, WIDTH)]


def get_init_inputs():
    return []
