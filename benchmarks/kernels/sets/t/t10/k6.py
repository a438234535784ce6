"""Warping with a hand-written backward pass that writes the image gradient tap by tap."""
import torch
import torch.nn as nn


def _prepare(flow, H, W, border):
    x = flow[:, 0] + torch.arange(W, dtype=flow.dtype)
    y = flow[:, 1] + torch.arange(H, dtype=flow.dtype)[:, None]
    xc = x.clamp(0, W - 1) if border else x.clamp(-2, W + 1)
    yc = y.clamp(0, H - 1) if border else y.clamp(-2, H + 1)
    return xc, yc, xc == x, yc == y


def _taps(x, y, H, W):
    x0, y0 = x.floor(), y.floor()
    fx, fy = x - x0, y - y0
    for dy in (0, 1):
        for dx in (0, 1):
            xi, yi = x0.long() + dx, y0.long() + dy
            ok = (xi >= 0) & (xi < W) & (yi >= 0) & (yi < H)
            idx = (yi.clamp(0, H - 1) * W + xi.clamp(0, W - 1)).flatten(1)
            wx, wy = (fx if dx else 1 - fx), (fy if dy else 1 - fy)
            yield idx, ok.flatten(1), wx.flatten(1), wy.flatten(1), 2 * dx - 1, 2 * dy - 1


class _Warp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, img, flow, border):
        B, C, H, W = img.shape
        x, y, inx, iny = _prepare(flow, H, W, border)
        ctx.save_for_backward(img, x, y, inx, iny)
        flat = img.reshape(B, C, -1)
        out = sum(flat.gather(2, i[:, None].expand(B, C, -1)) * (wx * wy * ok)[:, None]
                  for i, ok, wx, wy, _, _ in _taps(x, y, H, W))
        return out.view(B, C, H, W)

    @staticmethod
    def backward(ctx, g):
        img, x, y, inx, iny = ctx.saved_tensors
        B, C, H, W = img.shape
        flat, g = img.reshape(B, C, -1), g.reshape(B, C, -1)
        gi = torch.zeros_like(flat)
        gx = gy = 0
        bi, ci = torch.arange(B)[:, None, None], torch.arange(C)[None, :, None]
        for i, ok, wx, wy, sx, sy in _taps(x, y, H, W):
            gi[bi, ci, i[:, None]] += g * (wx * wy * ok)[:, None]
            dot = (flat.gather(2, i[:, None].expand(B, C, -1)) * g).sum(1) * ok
            gx = gx + sx * wy * dot
            gy = gy + sy * wx * dot
        gf = torch.stack((gx.view(B, H, W) * inx, gy.view(B, H, W) * iny), 1)
        return gi.view(B, C, H, W), gf, None


class ModelNew(nn.Module):
    def __init__(self, padding="border"):
        super().__init__()
        self.padding = padding

    def forward(self, img, flow):
        return _Warp.apply(img, flow, self.padding == "border")
