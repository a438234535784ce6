import torch
import torch.nn as nn
import torch.nn.functional as F


class _Base(nn.Module):
    def __init__(self, channels, kernel_size, dilation, groups, eps):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, kernel_size, dilation=dilation,
                              padding=dilation * (kernel_size // 2))
        self.norm = nn.GroupNorm(groups, channels, eps=eps)
        self.ks, self.dil, self.groups, self.eps = kernel_size, dilation, groups, eps


class _GNSiLU(torch.autograd.Function):
    """silu(group_norm(y)) with statistics saved and everything else recomputed."""

    @staticmethod
    def forward(ctx, y, weight, bias, groups, eps):
        N, C = y.shape[:2]
        g = y.reshape(N, groups, -1)
        var, mean = torch.var_mean(g, dim=-1, correction=0, keepdim=True)
        rstd = torch.rsqrt(var + eps)
        ctx.save_for_backward(y, weight, bias, mean, rstd)
        ctx.groups = groups
        z = ((g - mean) * rstd).reshape(N, C, -1) * weight[:, None] + bias[:, None]
        return z * torch.sigmoid(z)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, dout):
        y, weight, bias, mean, rstd = ctx.saved_tensors
        N, C = y.shape[:2]
        xh = ((y.reshape(N, ctx.groups, -1) - mean) * rstd).reshape(N, C, -1)
        z = xh * weight[:, None] + bias[:, None]
        s = torch.sigmoid(z)
        dz = dout * (s + z * s * (1 - s))
        dw = (dz * xh).sum((0, 2))
        db = dz.sum((0, 2))
        dxh = (dz * weight[:, None]).reshape(N, ctx.groups, -1)
        xg = xh.reshape(N, ctx.groups, -1)
        dy = rstd * (dxh - dxh.mean(-1, keepdim=True) - xg * (dxh * xg).mean(-1, keepdim=True))
        return dy.reshape_as(y), dw, db, None, None


class ModelNew(_Base):
    def conv_im2col(self, x):
        N, C, H, W = x.shape
        cols = F.unfold(x, self.ks, dilation=self.dil, padding=self.dil * (self.ks // 2))
        return torch.baddbmm(self.conv.bias[None, :, None], self.conv.weight.reshape(1, C, -1).expand(N, -1, -1), cols)

    def forward(self, x):
        y = self.conv_im2col(x)
        z = _GNSiLU.apply(y, self.norm.weight, self.norm.bias, self.groups, self.eps)
        return z.reshape(x.shape) + x
