import torch
import torch.nn as nn
import torch.nn.functional as F


class _Norm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, rows, weight, bias, eps):
        r = rows.double()
        mean = r.mean(0)
        c = r - mean
        var = c.square().mean(0)
        inv = (var + eps).rsqrt()
        xh = c * inv
        ctx.save_for_backward(xh, inv, weight)
        y = xh * weight.double() + bias.double()
        ctx.mark_non_differentiable(mean, var)
        return y.float(), mean, var

    @staticmethod
    def backward(ctx, gy, _a, _b):
        xh, inv, weight = ctx.saved_tensors
        g = gy.double()
        gw = (g * xh).sum(0)
        gb = g.sum(0)
        n = g.shape[0]
        gx = weight.double() * inv * (g - gb / n - xh * (gw / n))
        return gx.float(), gw.float(), gb.float(), None


class ModelNew(nn.Module):
    """Custom autograd function on the compacted valid rows, all statistics in double precision."""

    def __init__(self, channels, momentum, eps):
        super().__init__()
        self.momentum = momentum
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))
        self.register_buffer("running_mean", torch.zeros(channels))
        self.register_buffer("running_var", torch.ones(channels))
        self.register_buffer("num_batches_tracked", torch.zeros((), dtype=torch.long))

    def forward(self, x, mask):
        B, T, C = x.shape
        idx = mask.reshape(-1).nonzero().squeeze(1)
        rows = x.reshape(B * T, C).index_select(0, idx)
        n = idx.numel()
        out = x.new_zeros(B * T, C)
        if self.training:
            if n == 0:
                return out.view(B, T, C) + 0 * (self.weight + self.bias)
            y, mean, var = _Norm.apply(rows, self.weight, self.bias, self.eps)
            m = self.momentum
            self.running_mean.copy_((1 - m) * self.running_mean + m * mean)
            self.running_var.copy_((1 - m) * self.running_var + m * var * (n / max(n - 1, 1)))
            self.num_batches_tracked += 1
        else:
            inv = (self.running_var + self.eps).rsqrt() * self.weight
            y = (rows - self.running_mean) * inv + self.bias
        return out.index_copy(0, idx, y).view(B, T, C)
