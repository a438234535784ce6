import torch
import torch.nn as nn

ROWS = 5


class ModelNew(nn.Module):
    """Statistics from tiles of the batch, merged by the pairwise update of Chan et al."""

    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.bn = nn.BatchNorm1d(num_features, eps=eps, momentum=momentum)

    def _stats(self, x):
        dims = [0] + list(range(2, x.dim()))
        count, mean, m2 = 0, None, None
        for lo in range(0, x.shape[0], ROWS):
            tile = x[lo:lo + ROWS]
            n = tile.numel() // tile.shape[1]
            mu = tile.mean(dim=dims)
            s2 = (tile - mu.view([1, -1] + [1] * (x.dim() - 2))).square().sum(dim=dims)
            if mean is None:
                count, mean, m2 = n, mu, s2
            else:
                total = count + n
                delta = mu - mean
                mean = mean + delta * (n / total)
                m2 = m2 + s2 + delta * delta * (count * n / total)
                count = total
        return count, mean, m2

    def forward(self, x, residual):
        bn = self.bn
        if self.training:
            n, mean, m2 = self._stats(x)
            var = m2 / n
            with torch.no_grad():
                bn.num_batches_tracked.add_(1)
                bn.running_mean.lerp_(mean, bn.momentum)
                bn.running_var.lerp_(m2 / (n - 1), bn.momentum)
        else:
            mean, var = bn.running_mean, bn.running_var
        v = [1, -1] + [1] * (x.dim() - 2)
        z = (x - mean.view(v)) * torch.rsqrt(var + bn.eps).view(v)
        z = torch.addcmul(bn.bias.view(v), z, bn.weight.view(v))
        return z * 0.5 * torch.erfc(-z * 0.7071067811865476) + residual
