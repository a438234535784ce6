import torch
import torch.nn as nn
import torch.nn.functional as F

HALO = 8


class ModelNew(nn.Module):
    """Tile-with-halo formulation: shifts and weights are separated into an integer and a fractional part."""

    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(()))

    def forward(self, img, flow):
        B, C, H, W = img.shape
        flow = flow.clamp(-HALO, HALO)
        ys = torch.arange(H, device=img.device, dtype=img.dtype)[:, None]
        xs = torch.arange(W, device=img.device, dtype=img.dtype)[None, :]
        px = xs + flow[:, 0]
        py = ys + flow[:, 1]
        inside = ((px >= 0) & (px <= W - 1) & (py >= 0) & (py <= H - 1)).unsqueeze(1).to(img.dtype)
        px = px.clamp(0, W - 1)
        py = py.clamp(0, H - 1)
        x0 = px.detach().floor()
        y0 = py.detach().floor()
        fx = (px - x0).unsqueeze(1)
        fy = (py - y0).unsqueeze(1)
        x0, y0 = x0.long(), y0.long()
        x1 = (x0 + 1).clamp(max=W - 1)
        y1 = (y0 + 1).clamp(max=H - 1)
        flat = img.reshape(B, C, H * W)
        out = 0
        for y, wy in ((y0, 1 - fy), (y1, fy)):
            for x, wx in ((x0, 1 - fx), (x1, fx)):
                i = (y * W + x).reshape(B, 1, -1).expand(B, C, -1)
                out = out + flat.gather(2, i).view(B, C, H, W) * (wx * wy)
        return out * self.gain, inside
