import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Corners are clamped separately from the weights, so that no clamp of the position is needed."""

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
        x0 = torch.floor(px.detach())
        y0 = torch.floor(py.detach())
        fx = (px - x0).unsqueeze(1)
        fy = (py - y0).unsqueeze(1)
        xi = [x0.long().clamp(0, W - 1), (x0.long() + 1).clamp(0, W - 1)]
        yi = [y0.long().clamp(0, H - 1), (y0.long() + 1).clamp(0, H - 1)]
        flat = img.reshape(B, C, H * W)
        rows = []
        for y in yi:
            c = [flat.gather(2, (y * W + x).reshape(B, 1, -1).expand(B, C, -1)).view(B, C, H, W) for x in xi]
            rows.append(c[0] + (c[1] - c[0]) * fx)
        return (rows[0] + (rows[1] - rows[0]) * fy) * self.gain, inside
