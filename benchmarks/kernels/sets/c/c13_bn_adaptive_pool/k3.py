import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, channels, out_h, out_w):
        super().__init__()
        self.bn = nn.BatchNorm2d(channels)
        self.out_size = (out_h, out_w)

    def _affine(self, x):
        bn = self.bn
        if self.training:
            mean = x.double().mean((0, 2, 3))
            d = x.double() - mean.view(1, -1, 1, 1)
            var = (d * d).mean((0, 2, 3))
            m = x.numel() // x.shape[1]
            with torch.no_grad():
                bn.running_mean.lerp_(mean.to(bn.running_mean.dtype), bn.momentum)
                bn.running_var.lerp_((var * (m / (m - 1))).to(bn.running_var.dtype), bn.momentum)
                bn.num_batches_tracked += 1
        else:
            mean, var = bn.running_mean.double(), bn.running_var.double()
            d = x.double() - mean.view(1, -1, 1, 1)
        inv = torch.rsqrt(var + bn.eps)
        z = (d * inv.view(1, -1, 1, 1)).to(x.dtype)
        return z * bn.weight.view(1, -1, 1, 1) + bn.bias.view(1, -1, 1, 1)

    def forward(self, x):
        z = self._affine(x).clamp_min(0)
        h, w = x.shape[-2:]
        oh, ow = self.out_size
        rows = []
        for i in range(oh):
            y0, y1 = i * h // oh, -((-(i + 1) * h) // oh)
            cells = []
            for j in range(ow):
                x0, x1 = j * w // ow, -((-(j + 1) * w) // ow)
                cells.append(z[:, :, y0:y1, x0:x1].mean((2, 3)))
            rows.append(torch.stack(cells, -1))
        return torch.stack(rows, -2)
