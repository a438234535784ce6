import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, channels, out_h, out_w):
        super().__init__()
        self.bn = nn.BatchNorm2d(channels)
        self.out_size = (out_h, out_w)

    def forward(self, x):
        bn = self.bn
        mean = x.mean((0, 2, 3))
        xc = x - mean[:, None, None]
        var = xc.square().mean((0, 2, 3))
        cnt = x.numel() // x.shape[1]
        with torch.no_grad():
            bn.running_mean.lerp_(mean, bn.momentum)
            bn.running_var.lerp_(var * (cnt / (cnt - 1)), bn.momentum)
            bn.num_batches_tracked += 1
        z = xc * (torch.rsqrt(var + bn.eps) * bn.weight)[:, None, None] + bn.bias[:, None, None]
        z = torch.relu(z)
        h, w = x.shape[2:]
        oh, ow = self.out_size
        col = torch.stack([z[..., j * w // ow:((j + 1) * w + ow - 1) // ow].mean(-1) for j in range(ow)], -1)
        return torch.stack([col[:, :, i * h // oh:((i + 1) * h + oh - 1) // oh].mean(2) for i in range(oh)], 2)
