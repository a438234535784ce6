import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, num_features):
        super().__init__()
        self.bn = nn.BatchNorm2d(num_features)

    def forward(self, x):
        bn = self.bn
        n = x.shape[0] * x.shape[2] * x.shape[3]
        t = x.transpose(0, 1).reshape(x.shape[1], -1)
        mean = t.mean(1)
        c = t - mean[:, None]
        var = (c * c).mean(1)
        with torch.no_grad():
            bn.num_batches_tracked.add_(1)
            bn.running_mean.lerp_(mean, bn.momentum)
            bn.running_var.lerp_(var * (n / (n - 1)), bn.momentum)
        inv = torch.rsqrt(var + bn.eps)
        y = c * (inv * bn.weight)[:, None] + bn.bias[:, None]
        return y.reshape(x.shape[1], x.shape[0], x.shape[2], x.shape[3]).transpose(0, 1).contiguous()
