import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Depthwise convolution in the frequency domain (float64, the transforms being global), normalisation by formula."""

    def __init__(self, channels: int, kernel_size: int, stride: int = 1, eps: float = 1e-5, momentum: float = 0.1):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, kernel_size, stride=stride, padding=kernel_size // 2,
                              groups=channels, bias=False)
        self.bn = nn.BatchNorm2d(channels, eps=eps, momentum=momentum)

    def _fft_conv(self, x):
        k, s = self.conv.kernel_size[0], self.conv.stride[0]
        p = k // 2
        Hh, Ww = x.shape[2] + 2 * p, x.shape[3] + 2 * p  # room for the full support: nothing wraps into the outputs
        X = torch.fft.rfft2(x.double(), s=(Hh, Ww))
        K = torch.fft.rfft2(self.conv.weight[:, 0].double().flip(-1, -2), s=(Hh, Ww))
        full = torch.fft.irfft2(X * K, s=(Hh, Ww))
        return full[:, :, k - 1 - p:k - 1 - p + x.shape[2]:s, k - 1 - p:k - 1 - p + x.shape[3]:s]

    def forward(self, x):
        y = self._fft_conv(x)
        bn = self.bn
        if self.training:
            mean = y.mean(dim=(0, 2, 3))
            var = y.var(dim=(0, 2, 3), unbiased=False)
            count = y.numel() // y.shape[1]
            with torch.no_grad():
                bn.running_mean.copy_(torch.lerp(bn.running_mean.double(), mean, bn.momentum))
                bn.running_var.copy_(torch.lerp(bn.running_var.double(), var * count / (count - 1), bn.momentum))
                bn.num_batches_tracked += 1
        else:
            mean, var = bn.running_mean.double(), bn.running_var.double()
        g = bn.weight.double() / torch.sqrt(var + bn.eps)
        z = (y - mean[:, None, None]) * g[:, None, None] + bn.bias.double()[:, None, None]
        return F.silu(z).to(x.dtype)
