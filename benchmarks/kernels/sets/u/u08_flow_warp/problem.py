import torch
import torch.nn as nn

batch_size = 2
channels = 3
height = 48
width = 48


class Model(nn.Module):
    """
    Backward warp of 8-bit images by a dense optical flow, bilinear, borders replicated.

    The output at pixel (y, x) is the image sampled at px = x + flow[0], py = y + flow[1], both
    taken in float32. A position outside the image is moved to the nearest one inside
    (0 <= px <= width - 1, 0 <= py <= height - 1) before sampling; visible is true where the
    position was inside (the edges included) before that.

    Inputs:
        image: (batch, channels, height, width), uint8.
        flow: (batch, 2, height, width), float32, in pixels. Whole-pixel flows and zero flow occur,
              and flow from a network that has not converged may be of any finite size.
    Neither input is changed. Image sizes differ from call to call.
    Returns:
        warped (batch, channels, height, width), float32, in 0..255, not rounded, and
        visible (batch, height, width), bool. Inference only.
    """

    def forward(self, image, flow):
        B, C, H, W = image.shape
        px = torch.arange(W, device=flow.device).float() + flow[:, 0]
        py = torch.arange(H, device=flow.device).float()[:, None] + flow[:, 1]
        visible = (px >= 0) & (px <= W - 1) & (py >= 0) & (py <= H - 1)
        px = px.clamp(0, W - 1)
        py = py.clamp(0, H - 1)
        x0, y0 = px.floor().long(), py.floor().long()
        x1, y1 = (x0 + 1).clamp(max=W - 1), (y0 + 1).clamp(max=H - 1)
        wx, wy = (px - x0)[:, None], (py - y0)[:, None]
        flat = image.reshape(B, C, H * W).float()

        def at(yy, xx):
            i = (yy * W + xx).view(B, 1, H * W).expand(B, C, H * W)
            return flat.gather(2, i).view(B, C, H, W)

        top = at(y0, x0) * (1 - wx) + at(y0, x1) * wx
        bottom = at(y1, x0) * (1 - wx) + at(y1, x1) * wx
        return top * (1 - wy) + bottom * wy, visible


def get_inputs():
    image = torch.randint(0, 256, (batch_size, channels, height, width), dtype=torch.uint8)
    flow = torch.randn(batch_size, 2, height, width) * 4
    return [image, flow]


def get_init_inputs():
    return []
