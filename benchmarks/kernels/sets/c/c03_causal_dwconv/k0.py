import torch
import torch.nn as nn


class _CausalDW(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias, dil):
        ks = weight.shape[-1]
        b, c, l = x.shape
        halo = (ks - 1) * dil
        xp = x.new_zeros(b, c, l + halo)
        xp[..., halo:] = x
        pre = bias.view(1, c, 1).expand(b, c, l).clone()
        for j in range(ks):
            pre.addcmul_(xp[..., j * dil:j * dil + l], weight[:, 0, j].view(1, c, 1))
        ctx.save_for_backward(xp, weight, pre)
        ctx.dil = dil
        return pre * torch.sigmoid(pre)

    @staticmethod
    def backward(ctx, go):
        xp, weight, pre = ctx.saved_tensors
        dil = ctx.dil
        ks = weight.shape[-1]
        c, l = pre.shape[1:]
        s = torch.sigmoid(pre)
        gp = go * s * (1 + pre * (1 - s))
        gxp = torch.zeros_like(xp)
        gw = torch.empty_like(weight)
        for j in range(ks):
            win = slice(j * dil, j * dil + l)
            gxp[..., win] += gp * weight[:, 0, j].view(1, c, 1)
            gw[:, 0, j] = (gp * xp[..., win]).sum((0, 2))
        return gxp[..., (ks - 1) * dil:].contiguous(), gw, gp.sum((0, 2)), None


class ModelNew(nn.Module):
    def __init__(self, channels, kernel_size, dilation):
        super().__init__()
        self.conv = nn.Conv1d(channels, channels, kernel_size, groups=channels, dilation=dilation)

    def forward(self, x):
        return _CausalDW.apply(x, self.conv.weight, self.conv.bias, self.conv.dilation[0])
