import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Folds the statistics into one scale and shift per channel."""

    def __init__(self, num_features):
        super().__init__()
        self.bn = nn.BatchNorm2d(num_features)

    def _fold(self, x):
        bn = self.bn
        with torch.no_grad():
            if bn.training:
                n = x.numel() // x.shape[1]
                mean = x.mean(dim=(0, 2, 3))
                var = (x - mean.view(1, -1, 1, 1)).pow(2).mean(dim=(0, 2, 3))
                bn.num_batches_tracked.add_(1)
                bn.running_mean.lerp_(mean, bn.momentum)
                bn.running_var.lerp_(var * (n / (n - 1)), bn.momentum)
            else:
                mean, var = bn.running_mean.clone(), bn.running_var.clone()
            return mean, torch.rsqrt(var + bn.eps)

    def forward(self, x):
        mean, inv = self._fold(x)
        a = (inv * self.bn.weight).view(1, -1, 1, 1)
        return (x - mean.view(1, -1, 1, 1)) * a + self.bn.bias.view(1, -1, 1, 1)
