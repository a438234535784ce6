import torch
import torch.nn as nn
import torch.nn.functional as F


class _Warp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, img, px, py):
        B, C, H, W = img.shape
        cx, cy = px.clamp(0, W - 1), py.clamp(0, H - 1)
        x0, y0 = cx.floor(), cy.floor()
        fx, fy = cx - x0, cy - y0
        x0, y0 = x0.long(), y0.long()
        x1, y1 = (x0 + 1).clamp_(max=W - 1), (y0 + 1).clamp_(max=H - 1)
        flat = img.reshape(B, C, -1)
        idx = [(y * W + x).reshape(B, 1, -1) for y in (y0, y1) for x in (x0, x1)]
        v = [flat.gather(2, i.expand(B, C, -1)).view(B, C, H, W) for i in idx]
        fx, fy = fx.unsqueeze(1), fy.unsqueeze(1)
        w = [(1 - fy) * (1 - fx), (1 - fy) * fx, fy * (1 - fx), fy * fx]
        ctx.save_for_backward(px, py, fx, fy, *idx, *v)
        return w[0] * v[0] + w[1] * v[1] + w[2] * v[2] + w[3] * v[3]

    @staticmethod
    def backward(ctx, g):
        px, py, fx, fy, *rest = ctx.saved_tensors
        idx, v = rest[:4], rest[4:]
        B, C, H, W = g.shape
        w = [(1 - fy) * (1 - fx), (1 - fy) * fx, fy * (1 - fx), fy * fx]
        gi = g.new_zeros(B, C, H * W)
        for i, wi in zip(idx, w):
            gi.scatter_add_(2, i.expand(B, C, -1), (g * wi).reshape(B, C, -1))
        gx = (g * ((v[1] - v[0]) * (1 - fy) + (v[3] - v[2]) * fy)).sum(1)
        gy = (g * ((v[2] - v[0]) * (1 - fx) + (v[3] - v[1]) * fx)).sum(1)
        gx = gx * ((px >= 0) & (px <= W - 1))
        gy = gy * ((py >= 0) & (py <= H - 1))
        return gi.view(B, C, H, W), gx, gy



class ModelNew(nn.Module):
    """Hand-written forward and backward (gather / scatter-add)."""

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
        return _Warp.apply(img, px, py) * self.gain, inside
