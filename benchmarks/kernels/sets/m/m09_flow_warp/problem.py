import torch
import torch.nn as nn


class Model(nn.Module):
    """
    Backward warping of an image by a dense optical flow field (in pixels), with bilinear
    sampling; positions outside of the image are clamped to its border.
    """

    def __init__(self):
        super().__init__()

    def forward(self, img: torch.Tensor, flow: torch.Tensor) -> torch.Tensor:
        """
        img: (B, C, H, W); flow: (B, 2, H, W), flow[:, 0] along x (width), flow[:, 1] along y; finite values
        """
        B, C, H, W = img.shape
        xs = torch.arange(W, device=img.device, dtype=img.dtype)[None, None, :]
        ys = torch.arange(H, device=img.device, dtype=img.dtype)[None, :, None]
        x = (xs + flow[:, 0]).clamp(0, W - 1)
        y = (ys + flow[:, 1]).clamp(0, H - 1)
        x0 = x.detach().floor()
        y0 = y.detach().floor()
        wx = (x - x0)[:, None]
        wy = (y - y0)[:, None]
        x0, y0 = x0.long(), y0.long()
        x1 = (x0 + 1).clamp(max=W - 1)
        y1 = (y0 + 1).clamp(max=H - 1)
        b = torch.arange(B, device=img.device)[:, None, None]

        def at(yi, xi):
            return img.permute(0, 2, 3, 1)[b, yi, xi].permute(0, 3, 1, 2)

        top = at(y0, x0) * (1 - wx) + at(y0, x1) * wx
        bot = at(y1, x0) * (1 - wx) + at(y1, x1) * wx
        return top * (1 - wy) + bot * wy


batch_size = 2
channels = 3
height = 24
width = 24


def get_inputs():
    return [torch.rand(batch_size, channels, height, width), torch.randn(batch_size, 2, height, width) * 3.0]


def get_init_inputs():
    return []
