import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, channels, out_h, out_w):
        super().__init__()
        self.bn = nn.BatchNorm2d(channels)
        self.out_size = (out_h, out_w)

    def forward(self, x):
        bn = self.bn
        if self.training:
            mean = x.mean((0, 2, 3))
            var = (x - mean[:, None, None]).square().mean((0, 2, 3))
            with torch.no_grad():
                bn.running_mean.lerp_(mean, bn.momentum)
                bn.running_var.lerp_(var, bn.momentum)
                bn.num_batches_tracked += 1
        else:
            mean, var = bn.running_mean, bn.running_var
        k = torch.rsqrt(var + bn.eps) * bn.weight
        z = torch.relu((x - mean[:, None, None]) * k[:, None, None] + bn.bias[:, None, None])
        h, w = x.shape[2:]
        oh, ow = self.out_size
        out = []
        for i in range(oh):
            band = z[:, :, i * h // oh:((i + 1) * h + oh - 1) // oh].sum(2)
            hh = ((i + 1) * h + oh - 1) // oh - i * h // oh
            out.append(torch.stack([band[..., j * w // ow:((j + 1) * w + ow - 1) // ow].mean(-1) / hh
                                    for j in range(ow)], -1))
        return torch.stack(out, 2)
