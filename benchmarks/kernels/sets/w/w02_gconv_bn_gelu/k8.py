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
        xd = x.double().contiguous(memory_format=torch.channels_last)
        y = F.conv2d(xd, c.weight.double(), c.bias.double(), padding=c.padding, groups=c.groups)
        y = y.permute(0, 2, 3, 1)
        if self.training:
            flat = y.reshape(-1, y.shape[-1])
            var, mean = torch.var_mean(flat, dim=0, correction=0)
            with torch.no_grad():
                n = flat.shape[0]
                bn.running_mean.copy_((1 - bn.momentum) * bn.running_mean.double() + bn.momentum * mean)
                bn.running_var.copy_((1 - bn.momentum) * bn.running_var.double()
                                     + bn.momentum * var * n / (n - 1))
                bn.num_batches_tracked += 1
        else:
            mean, var = bn.running_mean.double(), bn.running_var.double()
        z = (y - mean) / (var + bn.eps).sqrt() * bn.weight.double() + bn.bias.double()
        z = 0.5 * z * torch.erfc(-z * math.sqrt(0.5))
        return z.permute(0, 3, 1, 2).to(x.dtype).contiguous()
