import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, num_features):
        super().__init__()
        self.bn = nn.BatchNorm2d(num_features)

    @torch.no_grad()
    def forward(self, x):
        bn = self.bn
        xd = x.double()
        if bn.training:
            n = x.numel() // x.shape[1]
            s1 = xd.sum(dim=(0, 2, 3))
            s2 = (xd * xd).sum(dim=(0, 2, 3))
            mean = s1 / n
            var = (s2 / n - mean * mean).clamp_min(0)
            bn.num_batches_tracked += 1
            bn.running_mean.mul_(1 - bn.momentum).add_(bn.momentum * mean.float())
            bn.running_var.mul_(1 - bn.momentum).add_(bn.momentum * (var * n / (n - 1)).float())
        else:
            mean, var = bn.running_mean.double(), bn.running_var.double()
        scale = bn.weight.double() / torch.sqrt(var + bn.eps)
        shift = bn.bias.double() - mean * scale
        return (xd * scale.view(1, -1, 1, 1) + shift.view(1, -1, 1, 1)).float()
