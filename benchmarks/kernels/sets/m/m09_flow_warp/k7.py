import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self._grids = {}

    def _grid(self, H, W, ref):
        # pixel coordinates in raster order, one entry per image size
        key = (H * W, ref.dtype, ref.device)
        if key not in self._grids:
            n = torch.arange(H * W, device=ref.device)
            x = (n % W).to(ref.dtype)
            y = torch.div(n, W, rounding_mode="floor").to(ref.dtype)
            self._grids[key] = (x, y)
        return self._grids[key]

    def forward(self, img, flow):
        B, C, H, W = img.shape
        gx, gy = self._grid(H, W, img)
        f = flow.reshape(B, 2, H * W)
        x = (gx + f[:, 0]).clamp(0, W - 1)
        y = (gy + f[:, 1]).clamp(0, H - 1)
        x0, y0 = x.detach().floor(), y.detach().floor()
        wx, wy = (x - x0).unsqueeze(1), (y - y0).unsqueeze(1)
        x0, y0 = x0.long(), y0.long()
        x1, y1 = (x0 + 1).clamp(max=W - 1), (y0 + 1).clamp(max=H - 1)
        flat = img.reshape(B, C, H * W)
        at = lambda i: flat.gather(2, i.unsqueeze(1).expand(-1, C, -1))
        top = at(y0 * W + x0) * (1 - wx) + at(y0 * W + x1) * wx
        bot = at(y1 * W + x0) * (1 - wx) + at(y1 * W + x1) * wx
        return (top * (1 - wy) + bot * wy).view(B, C, H, W)
