import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Two passes for the statistics, one fused pass for the rest."""

    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.bn = nn.BatchNorm1d(num_features, eps=eps, momentum=momentum)

    def forward(self, x, residual):
        bn = self.bn
        shape = [1, -1] + [1] * (x.dim() - 2)
        dims = [d for d in range(x.dim()) if d != 1]
        if self.training:
            n = x.numel() // x.shape[1]
            mean = x.sum(dim=dims) / n
            c = x - mean.view(shape)
            var = (c * c).sum(dim=dims) / n
            with torch.no_grad():
                bn.num_batches_tracked += 1
                bn.running_mean.mul_(1 - bn.momentum).add_(mean, alpha=bn.momentum)
                bn.running_var.mul_(1 - bn.momentum).add_(var * (n / (n - 1)), alpha=bn.momentum)
        else:
            c = x - bn.running_mean.view(shape)
            var = bn.running_var
        y = c * (bn.weight / torch.sqrt(var + bn.eps)).view(shape) + bn.bias.view(shape)
        return 0.5 * y * (1.0 + torch.erf(y * 0.7071067811865476)) + residual
