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
        y = F.conv2d(x, c.weight, c.bias, padding=c.padding, groups=c.groups)
        if self.training:
            var, mean = torch.var_mean(y, dim=(0, 2, 3), correction=0)
            with torch.no_grad():
                bn.running_mean.lerp_(mean, bn.momentum)
                bn.running_var.lerp_(var, bn.momentum)
                bn.num_batches_tracked += 1
        else:
            mean, var = bn.running_mean, bn.running_var
        scale = bn.weight * torch.rsqrt(var + bn.eps)
        y = (y - mean.view(1, -1, 1, 1)) * scale.view(1, -1, 1, 1) + bn.bias.view(1, -1, 1, 1)
        return F.gelu(y)
