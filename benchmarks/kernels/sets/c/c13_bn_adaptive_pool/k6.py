import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, channels, out_h, out_w):
        super().__init__()
        self.bn = nn.BatchNorm2d(channels)
        self.out_size = (out_h, out_w)

    def forward(self, x):
        bn = self.bn
        c = x.shape[1]
        if self.training:
            mean = x.mean((0, 2, 3), keepdim=True)
            var = (x - mean).square().mean((0, 2, 3), keepdim=True)
            cnt = x.numel() // c
            with torch.no_grad():
                bn.running_mean.lerp_(mean.flatten(), bn.momentum)
                bn.running_var.lerp_(var.flatten() * (cnt / (cnt - 1)), bn.momentum)
                bn.num_batches_tracked += 1
        else:
            mean = bn.running_mean.view(1, c, 1, 1)
            var = bn.running_var.view(1, c, 1, 1)
        z = (x - mean) * torch.rsqrt(var + bn.eps) * bn.weight.view(1, c, 1, 1) + bn.bias.view(1, c, 1, 1)
        z = z.clamp_min(0)
        oh, ow = self.out_size
        kh, kw = x.shape[2] // oh, x.shape[3] // ow
        z = z[:, :, :kh * oh, :kw * ow].reshape(x.shape[0], c, oh, kh, ow, kw)
        return z.mean((3, 5))
