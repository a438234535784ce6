import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Eval mode: the normalisation is folded into the convolution (built at each call, so it follows the parameters). Training mode: the plain path."""

    def __init__(self, channels: int, kernel_size: int, stride: int = 1, eps: float = 1e-5, momentum: float = 0.1):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, kernel_size, stride=stride, padding=kernel_size // 2,
                              groups=channels, bias=False)
        self.bn = nn.BatchNorm2d(channels, eps=eps, momentum=momentum)

    def forward(self, x):
        conv, bn = self.conv, self.bn
        if not self.training:
            scale = bn.weight * torch.rsqrt(bn.running_var + bn.eps)
            shift = bn.bias - bn.running_mean * scale
            z = F.conv2d(x, conv.weight * scale.view(-1, 1, 1, 1), shift, stride=conv.stride, padding=conv.padding,
                         groups=conv.groups)
        else:
            y = F.conv2d(x, conv.weight, None, stride=conv.stride, padding=conv.padding, groups=conv.groups)
            n = y.numel() // y.shape[1]
            # shifted by one value per channel before squaring: safe for a large common mean
            ref = y[:1, :, :1, :1].detach()
            d = y - ref
            m1 = d.mean(dim=(0, 2, 3), keepdim=True)
            var = (d - m1).square().mean(dim=(0, 2, 3), keepdim=True)
            with torch.no_grad():
                bn.num_batches_tracked.add_(1)
                bn.running_mean.add_(bn.momentum * ((m1 + ref).flatten() - bn.running_mean))
                bn.running_var.add_(bn.momentum * (var.flatten() * (n / (n - 1)) - bn.running_var))
            z = (d - m1) * torch.rsqrt(var + bn.eps) * bn.weight.view(1, -1, 1, 1) + bn.bias.view(1, -1, 1, 1)
        return z * torch.sigmoid(z)
