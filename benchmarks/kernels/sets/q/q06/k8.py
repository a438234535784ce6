import torch
import torch.nn as nn
import torch.nn.functional as F


class _UpFirDn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, h, up, down):
        T, K = x.shape[-1], h.numel()
        L = T * up + K - 1
        v = x.new_zeros(*x.shape[:-1], L)
        for k in range(K):
            v[..., k:k + (T - 1) * up + 1:up] += x * (h[k] * up)
        ctx.save_for_backward(x, h)
        ctx.ud = (up, down)
        return v[..., ::down].contiguous()

    @staticmethod
    def backward(ctx, gy):
        x, h = ctx.saved_tensors
        up, down = ctx.ud
        T, K = x.shape[-1], h.numel()
        gv = gy.new_zeros(*x.shape[:-1], T * up + K - 1)
        gv[..., ::down] = gy * up
        gx = torch.zeros_like(x)
        gh = torch.empty_like(h)
        for k in range(K):
            s = gv[..., k:k + (T - 1) * up + 1:up]
            gx += s * h[k]
            gh[k] = (s * x).sum()
        return gx, gh, None, None


class ModelNew(nn.Module):
    """Tap-outer accumulation with an explicit backward."""

    def __init__(self, taps, up, down):
        super().__init__()
        self.up = up
        self.down = down
        n = torch.arange(taps, dtype=torch.float32) - (taps - 1) / 2
        h = torch.sinc(n / max(up, down)) * torch.hann_window(taps + 2, periodic=False)[1:-1]
        self.h = nn.Parameter(h / h.sum())

    def forward(self, x):
        return _UpFirDn.apply(x, self.h, self.up, self.down)
