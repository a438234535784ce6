import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, num_features):
        super().__init__()
        self.bn = nn.BatchNorm2d(num_features)

    def forward(self, x):
        bn = self.bn
        use_batch = bn.training
        n = x.shape[0] * x.shape[2] * x.shape[3]
        if use_batch:
            bn.num_batches_tracked.add_(1)
        planes = []
        for c in range(x.shape[1]):
            t = x[:, c]
            if use_batch:
                mean = t.mean()
                var = ((t - mean) ** 2).mean()
                with torch.no_grad():
                    bn.running_mean[c] += bn.momentum * (mean - bn.running_mean[c])
                    bn.running_var[c] += bn.momentum * (var * n / (n - 1) - bn.running_var[c])
            else:
                mean, var = bn.running_mean[c].clone(), bn.running_var[c].clone()
            planes.append((t - mean) * torch.rsqrt(var + bn.eps) * bn.weight[c] + bn.bias[c])
        return torch.stack(planes, dim=1)
