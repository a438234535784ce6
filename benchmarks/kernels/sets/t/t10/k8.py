"""Warping with a hand-written backward pass (scatter-add for the image, tap differences for the flow)."""
import torch
import torch.nn as nn


def _taps(x, y, H, W):
    x0, y0 = x.floor(), y.floor()
    fx, fy = x - x0, y - y0
    x0, y0 = x0.long(), y0.long()
    for dy in (0, 1):
        for dx in (0, 1):
            xi, yi = x0 + dx, y0 + dy
            ok = (xi >= 0) & (xi < W) & (yi >= 0) & (yi < H)
            idx = torch.where(ok, yi * W + xi, 0).flatten(1)
            wx, wy = (fx if dx else 1 - fx), (fy if dy else 1 - fy)
            yield idx, ok.flatten(1), wx.flatten(1), wy.flatten(1), 2 * dx - 1, 2 * dy - 1


class _Warp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, img, flow, border):
        B, C, H, W = img.shape
        x = flow[:, 0] + torch.arange(W, dtype=flow.dtype)
        y = flow[:, 1] + torch.arange(H, dtype=flow.dtype)[:, None]
        xc = x.clamp(0, W - 1) if border else x.clamp(-2, W + 1)
        yc = y.clamp(0, H - 1) if border else y.clamp(-2, H + 1)
        ctx.save_for_backward(img, xc, yc, x == xc, y == yc)
        flat = img.reshape(B, C, H * W)
        out = torch.zeros(B, C, H * W, dtype=img.dtype)
        for idx, ok, wx, wy, _, _ in _taps(xc, yc, H, W):
            out += flat.gather(2, idx[:, None].expand(B, C, -1)) * (wx * wy * ok)[:, None]
        return out.view(B, C, H, W)

    @staticmethod
    def backward(ctx, g):
        img, x, y, inx, iny = ctx.saved_tensors
        B, C, H, W = img.shape
        flat, g = img.reshape(B, C, H * W), g.reshape(B, C, H * W)
        gi = torch.zeros_like(flat)
        gx = torch.zeros(B, H * W, dtype=img.dtype)
        gy = torch.zeros(B, H * W, dtype=img.dtype)
        for idx, ok, wx, wy, sx, sy in _taps(x, y, H, W):
            e = idx[:, None].expand(B, C, -1)
            gi.scatter_add_(2, e, g * (wx * wy * ok)[:, None])
            dot = (flat.gather(2, e) * g).sum(1) * ok
            gx += sx * wy * dot
            gy += sy * wx * dot
        gf = torch.stack((gx.view(B, H, W) * inx, gy.view(B, H, W) * iny), 1)
        return gi.view(B, C, H, W), gf, None


class ModelNew(nn.Module):
    def __init__(self, padding="border"):
        super().__init__()
        self.padding = padding

    def forward(self, img, flow):
        return _Warp.apply(img, flow, self.padding == "border")
