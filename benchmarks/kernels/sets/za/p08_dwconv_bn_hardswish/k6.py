import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, channels, kernel_size=3, stride=1, dilation=1, eps=1e-5, momentum=0.1):
        super().__init__()
        self.conv = nn.Conv2d(
            channels, channels, kernel_size, stride=stride,
            padding=dilation * (kernel_size - 1) // 2, dilation=dilation, groups=channels, bias=False,
        )
        self.bn = nn.BatchNorm2d(channels, eps=eps, momentum=momentum)

    def forward(self, x):
        y = self.conv(x)
        bn = self.bn
        N, C = y.shape[:2]
        if self.training:
            flat = y.reshape(N, C, -1)
            cnt = flat.shape[2]
            # per-sample moments, merged pairwise-free (Chan et al.)
            mu = flat.mean(2)
            m2 = (flat - mu[:, :, None]).square().sum(2)
            mean = mu.mean(0)
            m2 = m2.sum(0) + cnt * (mu - mean).square().sum(0)
            total = N * cnt
            with torch.no_grad():
                bn.num_batches_tracked += 1
                bn.running_mean.copy_(bn.running_mean * (1 - bn.momentum) + mean * bn.momentum)
                bn.running_var.copy_(
                    bn.running_var * (1 - bn.momentum) + m2 * (bn.momentum / (total - 1))
                )
            var = m2 / total
        else:
            mean, var = bn.running_mean, bn.running_var
        inv = (var + bn.eps).rsqrt()
        z = ((y - mean.view(1, C, 1, 1)) * inv.view(1, C, 1, 1)) * bn.weight.view(1, C, 1, 1)
        z = z + bn.bias.view(1, C, 1, 1)
        out = torch.where(z >= 3, z, z * (z + 3) / 6)
        return torch.where(z <= -3, torch.zeros_like(z), out)
