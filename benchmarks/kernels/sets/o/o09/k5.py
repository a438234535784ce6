import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """The batch normalisation is folded into the convolution for inference."""

    def __init__(self, channels: int, kernel_size: int, stride: int = 1, eps: float = 1e-5, momentum: float = 0.1):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, kernel_size, stride=stride, padding=kernel_size // 2,
                              groups=channels, bias=False)
        self.bn = nn.BatchNorm2d(channels, eps=eps, momentum=momentum)
        self._folded = None

    def _fold(self):
        if self._folded is None:
            with torch.no_grad():
                scale = self.bn.weight / torch.sqrt(self.bn.running_var + self.bn.eps)
                w = self.conv.weight * scale.view(-1, 1, 1, 1)
                self._folded = (w, self.bn.bias - self.bn.running_mean * scale)
        return self._folded

    def forward(self, x):
        if self.training or torch.is_grad_enabled() and x.requires_grad:
            y = self.conv(x)
            return F.silu(F.batch_norm(y, self.bn.running_mean, self.bn.running_var, self.bn.weight, self.bn.bias,
                                       self._count(), self.bn.momentum, self.bn.eps))
        w, b = self._fold()
        return F.silu(F.conv2d(x, w, b, self.conv.stride, self.conv.padding, groups=self.conv.groups))

    def _count(self):
        if self.training:
            self.bn.num_batches_tracked.add_(1)
        return self.training
