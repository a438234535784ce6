import torch
import torch.nn as nn


class _Warp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, img, flow):
        B, C, H, W = img.shape
        xs = torch.arange(W, device=img.device, dtype=img.dtype)
        ys = torch.arange(H, device=img.device, dtype=img.dtype)[:, None]
        ux, uy = xs + flow[:, 0], ys + flow[:, 1]
        x, y = ux.clamp(0, W - 1), uy.clamp(0, H - 1)
        x0, y0 = x.floor(), y.floor()
        wx, wy = (x - x0).view(B, 1, H * W), (y - y0).view(B, 1, H * W)
        x0, y0 = x0.long(), y0.long()
        x1, y1 = (x0 + 1).clamp(max=W - 1), (y0 + 1).clamp(max=H - 1)
        idx = [(a * W + b).view(B, 1, H * W) for a, b in ((y0, x0), (y0, x1), (y1, x0), (y1, x1))]
        flat = img.reshape(B, C, H * W)
        v00, v01, v10, v11 = (flat.gather(2, i.expand(B, C, H * W)) for i in idx)
        top = torch.lerp(v00, v01, wx)
        bot = torch.lerp(v10, v11, wx)
        out = torch.lerp(top, bot, wy)
        inx = ((ux >= 0) & (ux <= W - 1)).view(B, H * W)
        iny = ((uy >= 0) & (uy <= H - 1)).view(B, H * W)
        ctx.save_for_backward(wx, wy, *idx, v00, v01, v10, v11, inx, iny)
        ctx.shape = img.shape
        return out.view(B, C, H, W)

    @staticmethod
    def backward(ctx, g):
        wx, wy, i00, i01, i10, i11, v00, v01, v10, v11, inx, iny = ctx.saved_tensors
        B, C, H, W = ctx.shape
        g = g.reshape(B, C, H * W)
        d_img = d_flow = None
        if ctx.needs_input_grad[0]:
            d_img = torch.zeros_like(g)
            for i, w in ((i00, (1 - wx) * (1 - wy)), (i01, wx * (1 - wy)), (i10, (1 - wx) * wy), (i11, wx * wy)):
                d_img.scatter_add_(2, i.expand(B, C, -1), g * w)
            d_img = d_img.view(B, C, H, W)
        if ctx.needs_input_grad[1]:
            sx = (v01 - v00) * (1 - wy) + (v11 - v10) * wy
            sy = (v10 - v00) * (1 - wx) + (v11 - v01) * wx
            d_flow = torch.stack([(g * sx).sum(1) * inx, (g * sy).sum(1) * iny], dim=1).view(B, 2, H, W)
        return d_img, d_flow


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, img, flow):
        return _Warp.apply(img, flow)
