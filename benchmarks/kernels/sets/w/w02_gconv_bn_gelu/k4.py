import math
import torch
import torch.nn as nn
import torch.nn.functional as F




class ModelNew(nn.Module):
    def __init__(self, in_ch, out_ch, k, groups):
        super().__init__()
        self.conv = nn.Conv2d(in_ch, out_ch, k, groups=groups, bias=True)
        self.bn = nn.BatchNorm2d(out_ch)
        self._wb = None

    def _fold(self):
        if self._wb is None:
            bn = self.bn
            s = bn.weight * torch.rsqrt(bn.running_var + bn.eps)
            self._wb = ((self.conv.weight * s.view(-1, 1, 1, 1)).detach(),
                        ((self.conv.bias - bn.running_mean) * s + bn.bias).detach())
        return self._wb

    def forward(self, x):
        if self.training or torch.is_grad_enabled():
            return F.gelu(self.bn(self.conv(x)))
        # inference: one fused convolution
        w, b = self._fold()
        return F.gelu(F.conv2d(x, w, b, padding=self.conv.padding, groups=self.conv.groups))
