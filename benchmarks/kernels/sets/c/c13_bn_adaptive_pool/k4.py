import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, channels, out_h, out_w):
        super().__init__()
        self.bn = nn.BatchNorm2d(channels)
        self.out_size = (out_h, out_w)

    def forward(self, x):
        bn = self.bn
        n, c, h, w = x.shape
        if self.training:
            mean = x.mean((0, 2, 3))
            var = (x - mean[:, None, None]).square().mean((0, 2, 3))
            m = n * h * w
            with torch.no_grad():
                bn.running_mean.lerp_(mean, bn.momentum)
                bn.running_var.lerp_(var * (m / (m - 1)), bn.momentum)
                bn.num_batches_tracked += 1
        else:
            mean, var = bn.running_mean, bn.running_var
        g = bn.weight * torch.rsqrt(var + bn.eps)
        z = torch.relu((x - mean[:, None, None]) * g[:, None, None] + bn.bias[:, None, None])
        s = torch.nn.functional.pad(z.cumsum(2).cumsum(3), (1, 0, 1, 0))
        oh, ow = self.out_size
        i, j = torch.arange(oh), torch.arange(ow)
        y0, y1 = i * h // oh, ((i + 1) * h + oh - 1) // oh
        x0, x1 = j * w // ow, ((j + 1) * w + ow - 1) // ow
        top, bot = s[:, :, y0], s[:, :, y1]
        tot = bot[..., x1] - bot[..., x0] - top[..., x1] + top[..., x0]
        return tot / ((y1 - y0)[:, None] * (x1 - x0)[None, :]).to(x.dtype)
