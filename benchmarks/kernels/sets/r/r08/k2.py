import torch
import torch.nn as nn


def _coords(theta, H, W):
    y = torch.arange(H, dtype=theta.dtype)[:, None] - (H - 1) / 2
    x = torch.arange(W, dtype=theta.dtype)[None, :] - (W - 1) / 2
    xs = theta[0, 0] * x + theta[0, 1] * y + theta[0, 2] + (W - 1) / 2
    ys = theta[1, 0] * x + theta[1, 1] * y + theta[1, 2] + (H - 1) / 2
    return x, y, xs, ys


class _Warp(torch.autograd.Function):
    """Gather in forward, scatter-add in backward, closed-form theta gradient."""

    @staticmethod
    def _taps(xs, ys, H, W):
        x0, y0 = xs.floor(), ys.floor()
        fx, fy = xs - x0, ys - y0
        for dy in (0, 1):
            for dx in (0, 1):
                xi, yi = x0.long() + dx, y0.long() + dy
                ok = ((xi >= 0) & (xi < W) & (yi >= 0) & (yi < H)).to(xs.dtype)
                wx, wy = (fx if dx else 1 - fx), (fy if dy else 1 - fy)
                idx = (yi.clamp(0, H - 1) * W + xi.clamp(0, W - 1)).reshape(-1)
                yield idx, ok, wx, wy, (1 if dx else -1), (1 if dy else -1)

    @staticmethod
    def forward(ctx, img, theta):
        B, C, H, W = img.shape
        _, _, xs, ys = _coords(theta, H, W)
        flat = img.reshape(B * C, H * W)
        out = torch.zeros(B * C, H * W, dtype=img.dtype)
        for idx, ok, wx, wy, _, _ in _Warp._taps(xs, ys, H, W):
            out += flat[:, idx] * (ok * wx * wy).reshape(-1)
        ctx.save_for_backward(img, theta)
        return out.reshape(B, C, H, W)

    @staticmethod
    def backward(ctx, grad):
        img, theta = ctx.saved_tensors
        B, C, H, W = img.shape
        x, y, xs, ys = _coords(theta, H, W)
        g = grad.reshape(B * C, H * W)
        flat = img.reshape(B * C, H * W)
        g_img = torch.zeros_like(flat)
        gx = torch.zeros(H * W, dtype=img.dtype)
        gy = torch.zeros(H * W, dtype=img.dtype)
        for idx, ok, wx, wy, sx, sy in _Warp._taps(xs, ys, H, W):
            g_img.index_add_(1, idx, g * (ok * wx * wy).reshape(-1))
            dot = (g * flat[:, idx]).sum(0)
            gx += dot * (ok * wy).reshape(-1) * sx
            gy += dot * (ok * wx).reshape(-1) * sy
        gx, gy = gx.reshape(H, W), gy.reshape(H, W)
        g_th = torch.stack([torch.stack([(v * x).sum(), (v * y).sum(), v.sum()]) for v in (gx, gy)])
        return g_img.reshape(B, C, H, W), g_th


class ModelNew(nn.Module):
    def __init__(self, scale: float):
        super().__init__()
        self.theta = nn.Parameter(torch.tensor([[scale, 0.03171, 0.21374], [-0.04129, scale - 0.01733, -0.13297]]))

    def forward(self, img):
        return _Warp.apply(img, self.theta)
