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
        xd = x.double()
        if self.training:
            flat = xd.transpose(0, 1).reshape(c, -1)
            var, mean = torch.var_mean(flat, dim=1, correction=0)
            m = flat.shape[1]
            with torch.no_grad():
                bn.num_batches_tracked += 1
                for buf, val in ((bn.running_mean, mean), (bn.running_var, var * m / (m - 1))):
                    buf.copy_((1 - bn.momentum) * buf.double() + bn.momentum * val)
        else:
            mean, var = bn.running_mean.double(), bn.running_var.double()
        g = bn.weight.double() * torch.rsqrt(var + bn.eps)
        z = torch.relu((xd - mean.view(1, c, 1, 1)) * g.view(1, c, 1, 1) + bn.bias.double().view(1, c, 1, 1))
        s = torch.nn.functional.pad(z.cumsum(2).cumsum(3), (1, 0, 1, 0))
        oh, ow = self.out_size
        i, j = torch.arange(oh), torch.arange(ow)
        y0, y1 = i * h // oh, ((i + 1) * h + oh - 1) // oh
        x0, x1 = j * w // ow, ((j + 1) * w + ow - 1) // ow
        top, bot = s[:, :, y0], s[:, :, y1]
        tot = bot[..., x1] - bot[..., x0] - top[..., x1] + top[..., x0]
        area = (y1 - y0)[:, None] * (x1 - x0)[None, :]
        return (tot / area).to(x.dtype)
