import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, num_features):
        super().__init__()
        self.bn = nn.BatchNorm2d(num_features)

    def _stats(self, x):
        count = 0
        mean = torch.zeros(x.shape[1])
        m2 = torch.zeros(x.shape[1])
        for i in range(x.shape[0]):
            t = x[i].reshape(x.shape[1], -1)
            k = t.shape[1]
            mb = t.mean(1)
            m2b = (t - mb[:, None]).square().sum(1)
            delta = mb - mean
            tot = count + k
            mean = mean + delta * (k / tot)
            m2 = m2 + m2b + delta * delta * (count * k / tot)
            count = tot
        return mean, m2, count

    def forward(self, x):
        bn = self.bn
        if self.training:
            mean, m2, n = self._stats(x)
            var = m2 / n
            with torch.no_grad():
                bn.num_batches_tracked.add_(1)
                bn.running_mean.lerp_(mean.detach(), bn.momentum)
                bn.running_var.lerp_((m2 / (n - 1)).detach(), bn.momentum)
        else:
            mean, var = bn.running_mean, bn.running_var
        scale = bn.weight / torch.sqrt(var + bn.eps)
        return (x - mean[:, None, None]) * scale[:, None, None] + bn.bias[:, None, None]
