import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Inference uses conv weights with the batch norm folded in, prepared once."""

    def __init__(self, channels, kernel, dilation):
        super().__init__()
        self.conv = nn.Conv1d(channels, channels, kernel, dilation=dilation,
                              padding=dilation * (kernel - 1) // 2, groups=channels)
        self.bn = nn.BatchNorm1d(channels)
        self.k = kernel
        self.dil = dilation
        self.pad = dilation * (kernel - 1) // 2
        self._folded = None

    def forward(self, x):
        bn, cv = self.bn, self.conv
        if self.training:
            return F.gelu(bn(cv(x)))
        if self._folded is None:
            s = bn.weight * torch.rsqrt(bn.running_var + bn.eps)
            self._folded = ((cv.weight * s[:, None, None]).detach(),
                            (bn.bias + (cv.bias - bn.running_mean) * s).detach())
        if torch.is_grad_enabled():
            s = bn.weight * torch.rsqrt(bn.running_var + bn.eps)
            w, b = cv.weight * s[:, None, None], bn.bias + (cv.bias - bn.running_mean) * s
        else:
            w, b = self._folded
        return F.gelu(F.conv1d(x, w, b, padding=self.pad, dilation=self.dil, groups=x.shape[1]))
