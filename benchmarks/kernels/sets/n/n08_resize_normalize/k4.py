import torch
import torch.nn as nn


class _Resize(torch.autograd.Function):
    """Sparse row operators; the adjoint is the transposed product."""

    @staticmethod
    def operator(n_in, n_out, device):
        rows, cols, vals = [], [], []
        scale = n_in / n_out
        wide = max(1.0, scale)
        for o in range(n_out):
            c = (o + 0.5) * scale
            lo, hi = max(0, int(c - 2 * wide + 0.5)), min(n_in, int(c + 2 * wide + 0.5))
            w = []
            for j in range(lo, hi):
                t = abs((j + 0.5 - c) / wide)
                w.append(1 - 2.5 * t ** 2 + 1.5 * t ** 3 if t < 1 else
                         2 - 4 * t + 2.5 * t ** 2 - 0.5 * t ** 3 if t < 2 else 0.0)
            s = sum(w)
            rows += [o] * len(w)
            cols += range(lo, hi)
            vals += [v / s for v in w]
        return torch.sparse_coo_tensor(torch.tensor([rows, cols]), torch.tensor(vals, dtype=torch.float64),
                                       (n_out, n_in), device=device).coalesce()

    @staticmethod
    def forward(ctx, img, out_h, out_w):
        B, C, H, W = img.shape
        wy, wx = _Resize.operator(H, out_h, img.device), _Resize.operator(W, out_w, img.device)
        ctx.save_for_backward(wy, wx)
        ctx.shape = img.shape
        t = torch.sparse.mm(wy, img.double().permute(2, 0, 1, 3).reshape(H, -1)).reshape(out_h, B, C, W)
        t = torch.sparse.mm(wx, t.permute(3, 1, 2, 0).reshape(W, -1)).reshape(out_w, B, C, out_h)
        return t.permute(1, 2, 3, 0).to(img.dtype)

    @staticmethod
    def backward(ctx, g):
        wy, wx = ctx.saved_tensors
        B, C, H, W = ctx.shape
        oh, ow = g.shape[-2:]
        t = torch.sparse.mm(wx.t(), g.double().permute(3, 0, 1, 2).reshape(ow, -1)).reshape(W, B, C, oh)
        t = torch.sparse.mm(wy.t(), t.permute(3, 1, 2, 0).reshape(oh, -1)).reshape(H, B, C, W)
        return t.permute(1, 2, 0, 3).to(g.dtype), None, None


class ModelNew(nn.Module):
    def __init__(self, out_h, out_w, clamp=True, mean=(0.485, 0.456, 0.406), std=(0.229, 0.224, 0.225)):
        super().__init__()
        self.out_h = out_h
        self.out_w = out_w
        self.clamp = clamp
        self.register_buffer("mean", torch.tensor(mean).view(1, -1, 1, 1))
        self.register_buffer("std", torch.tensor(std).view(1, -1, 1, 1))

    def forward(self, img):
        y = _Resize.apply(img, self.out_h, self.out_w)
        if self.clamp:
            y = torch.clamp(y, 0, 1)
        return (y - self.mean) / self.std
