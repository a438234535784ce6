import torch
import torch.nn as nn


class _DWConvSiLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias, dil):
        ks = weight.shape[-1]
        n, c, l = x.shape
        y = bias.view(1, c, 1) + weight[:, 0, ks - 1].view(1, c, 1) * x
        for j in range(1, ks):
            sh = j * dil
            if sh < l:
                y[..., sh:] += weight[:, 0, ks - 1 - j].view(1, c, 1) * x[..., :l - sh]
        ctx.save_for_backward(x, weight, y)
        ctx.dil = dil
        return y * torch.sigmoid(y)

    @staticmethod
    def backward(ctx, go):
        x, weight, y = ctx.saved_tensors
        ks, dil, l = weight.shape[-1], ctx.dil, x.shape[-1]
        c = x.shape[1]
        s = torch.sigmoid(y)
        g = go * (s + y * s * (1 - s))
        gx = torch.zeros_like(x)
        gw = torch.zeros_like(weight)
        for j in range(ks):
            sh = j * dil
            if sh >= l:
                continue
            gx[..., :l - sh] += weight[:, 0, ks - 1 - j].view(1, c, 1) * g[..., sh:]
            gw[:, 0, j] = (g[..., sh:] * x[..., :l - sh]).sum((0, 2))
        return gx, gw, g.sum((0, 2)), None


class ModelNew(nn.Module):
    def __init__(self, channels, kernel_size, dilation):
        super().__init__()
        self.conv = nn.Conv1d(channels, channels, kernel_size, groups=channels, dilation=dilation)

    def forward(self, x):
        return _DWConvSiLU.apply(x, self.conv.weight, self.conv.bias, self.conv.dilation[0])
