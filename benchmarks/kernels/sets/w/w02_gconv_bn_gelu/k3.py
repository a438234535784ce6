import math
import torch
import torch.nn as nn
import torch.nn.functional as F




class ModelNew(nn.Module):
    def __init__(self, in_ch, out_ch, k, groups):
        super().__init__()
        self.conv = nn.Conv2d(in_ch, out_ch, k, groups=groups, bias=True)
        self.bn = nn.BatchNorm2d(out_ch)

    def forward(self, x):
        c, bn = self.conv, self.bn
        if not self.training:
            s = bn.weight / torch.sqrt(bn.running_var + bn.eps)
            w = c.weight * s[:, None, None, None]
            b = (c.bias - bn.running_mean) * s + bn.bias
            return F.gelu(F.conv2d(x, w, b, padding=c.padding, groups=c.groups))
        y = F.conv2d(x, c.weight, c.bias, padding=c.padding, groups=c.groups)
        n = y.numel() // y.shape[1]
        mean = y.mean(dim=(0, 2, 3), keepdim=True)
        d = y - mean
        var = d.square().mean(dim=(0, 2, 3), keepdim=True)
        with torch.no_grad():
            m = bn.momentum
            bn.running_mean.mul_(1 - m).add_(mean.flatten(), alpha=m)
            bn.running_var.mul_(1 - m).add_(var.flatten() * (n / (n - 1)), alpha=m)
            bn.num_batches_tracked.add_(1)
        y = d / torch.sqrt(var + bn.eps) * bn.weight.view(1, -1, 1, 1) + bn.bias.view(1, -1, 1, 1)
        return F.gelu(y)
